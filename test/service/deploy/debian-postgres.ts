import { existsSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { serviceUser } from "../../../shared/embedded/servers/postgres.ts";

/** True if Debian's PostgreSQL is installed; npm's has the server only and no pg_dump. */
export const hasDebianPostgres = Bun.which("pg_virtualenv") !== null;
if (!hasDebianPostgres)
  console.warn(
    "SKIPPED: a test of backups needs PostgreSQL's programs (Debian: apt-get install postgresql).",
  );

/** An empty server of Debian's own packages, with the variables by which its programs find it. */
export async function startDebianPostgres(): Promise<
  Readonly<{ env: Record<string, string>; stop(): Promise<void> }>
> {
  const told = join(tmpdir(), `kept-deploy-${crypto.randomUUID()}`);
  // The server runs as long as the command in it, here until standard input ends. For other users than root, it
  // leaves the system's own servers alone.
  const script = `env > ${told}.part && mv ${told}.part ${told} && exec cat`;
  const server = Bun.spawn(["pg_virtualenv", "sh", "-c", script], {
    stdio: ["pipe", "ignore", "inherit"],
    cwd: "/",
    ...serviceUser("/nowhere"),
  });
  while (!existsSync(told)) {
    if (server.exitCode !== null) throw new Error("Debian's PostgreSQL did not start.");
    await Bun.sleep(20);
  }
  const lines = readFileSync(told, "utf8").matchAll(/^(PG\w+|PATH)=(.*)$/gm);
  return {
    env: Object.fromEntries([...lines].map(([, name, value]) => [name, value])),
    async stop() {
      await server.stdin.end();
      await server.exited;
    },
  };
}
