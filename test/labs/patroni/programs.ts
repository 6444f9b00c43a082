import { chownSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { bareEnvironment } from "../../../shared/embedded/servers/bare-environment.ts";
import { serviceUser } from "../../../shared/embedded/servers/postgres-cluster.ts";
import { launchServer } from "../../../shared/embedded/servers/server.ts";
import { temporaryFolder } from "../../support/folder.ts";

const PATH = `${Bun.env.PATH}:/usr/sbin`;
const names = ["etcd", "patroni", "patronictl", "haproxy", "/usr/lib/postgresql/15/bin/postgres"];
/** True if Debian's packages with all these programs are installed. */
export const isInstalled = names.every((name) => Bun.which(name, { PATH }));

type Program = Readonly<{
  /** The name of its folder and its log. */
  name: string;
  command: readonly string[];
  env?: Record<string, string>;
  /** True while it serves. */
  answers(): Promise<boolean>;
}>;

/** Programs that run as one user, who is not root, in folders that are removed with them. */
export function createPrograms() {
  const root = temporaryFolder("patroni");
  const user = serviceUser(join(root, "none"));
  const own = (path: string) => user && chownSync(path, user.uid, user.gid);
  own(root);
  const base = { ...bareEnvironment(), PATH };
  const running: { stop(): Promise<void> }[] = [];
  return {
    /** Makes a folder that the programs may write to. */
    folder(name: string): string {
      const path = join(root, name);
      mkdirSync(path, { mode: 0o700 });
      own(path);
      return path;
    },
    async start({ name, command, env, answers }: Program): Promise<void> {
      const logFile = join(root, `${name}.log`);
      const server = launchServer(
        name,
        { command, cwd: root, env: { ...base, ...env }, user, logFile, stopSignal: "TERM" },
        answers,
      );
      running.push(server);
      await server.ready;
    },
    /** Runs a program to its end. @throws when it fails */
    async run(command: readonly string[]): Promise<void> {
      const child = Bun.spawn([...command], { env: base, stdout: "pipe", stderr: "pipe" });
      const said = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
      if (child.exitCode !== 0) throw new Error(`${command.join(" ")}: ${said.join("\n")}`);
    },
    async stop(): Promise<void> {
      await Promise.all(running.map((server) => server.stop()));
      rmSync(root, { recursive: true });
    },
  };
}
