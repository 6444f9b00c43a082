import { readFileSync } from "node:fs";
import { join } from "node:path";
import { launchRole } from "../../../../shared/embedded/role-process.ts";
import { freePort } from "../../../../shared/embedded/servers/port.ts";
import { type Supervised, supervise } from "../../../../shared/embedded/servers/supervisor.ts";
import { descendants } from "../../../support/chaos/descendants.ts";
import type { Part } from "../schedule.ts";

type Environment = Record<string, string | undefined>;

/** This mark identifies the processes of the parts. */
const mark = "CHAOS_PART";

const root = join(import.meta.dir, "../../../..");

/** Starts a role as it is in production; when it dies it is started again. */
export function startRole(part: Part, script: string, env: Environment): Promise<Supervised<object>> {
  const marked = { ...process.env, ...env, [mark]: part };
  const launch = async () => launchRole({ name: part, script: join(root, script) }, marked);
  return supervise({ name: part, launch, report: () => {} });
}

/** PostgreSQL, supervised by a process of its own. */
export async function startPostgres(
  folder: string,
  env: Environment,
): Promise<{ url: string; stop(): Promise<void> }> {
  const ready = Promise.withResolvers<string>();
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "postgres.ts"), folder], {
    env: { ...process.env, ...env },
    detached: true,
    stdio: ["ignore", "inherit", "inherit"],
    ipc: (url: string) => ready.resolve(url),
  });
  child.exited.then(() => ready.reject(new Error("PostgreSQL did not start.")));
  return {
    url: await ready.promise,
    async stop() {
      child.send("stop");
      await child.exited;
    },
  };
}

/** The processes that do a part's work at this moment; none while it is starting. */
export function pidsOf(part: Part, folder: string): number[] {
  if (part === "postgres" || part === "redis") return serverPids(part, folder);
  return descendants().flatMap(({ pid }) => (environmentOf(pid).includes(`${mark}=${part}`) ? [pid] : []));
}

/** The server first, then what it has forked. */
function serverPids(part: "postgres" | "redis", folder: string): number[] {
  const file = join(folder, part, part === "redis" ? "redis.pid" : "postmaster.pid");
  const text = read(file);
  const server = Number.parseInt(text, 10);
  const below = descendants();
  if (!below.some(({ pid }) => pid === server)) return [];
  return [server, ...below.flatMap(({ pid, parent }) => (parent === server ? [pid] : []))];
}

const environmentOf = (pid: number): string[] => read(`/proc/${pid}/environ`).split("\0");

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

export const freePorts = (count: number): Promise<number[]> =>
  Promise.all(Array.from({ length: count }, freePort));
