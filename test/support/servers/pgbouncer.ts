import { chownSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { SQL } from "bun";
import type { User } from "../../../shared/embedded/servers/guard.ts";
import { freePort } from "../../../shared/embedded/servers/port.ts";
import { seenBy, serviceUser } from "../../../shared/embedded/servers/postgres.ts";
import { launchServer } from "../../../shared/embedded/servers/server.ts";
import type { Life } from "../../../shared/embedded/servers/supervisor.ts";
import { migrate } from "../../../workers/upkeep/migrate.ts";
import { documented } from "../documented.ts";
import { listens } from "./listens.ts";

/** PgBouncer's program: PGBOUNCER, else the system's; unset if there is none. */
export const pgbouncer =
  Bun.env.PGBOUNCER || Bun.which("pgbouncer", { PATH: `${Bun.env.PATH}:/usr/sbin` }) || undefined;

/** Addresses of one database for the users of docs/postgres.md. */
type Addresses = Readonly<{ owner: string; door: string; worker: string; identity: string }>;

export type Pooler = Awaited<ReturnType<typeof startPooler>>;

/**
 * Makes a database with the tables of Kept and the users of docs/postgres.md, with names of its own.
 * @param serverUrl a superuser's address
 * @returns the name
 */
export async function createPooledDatabase(serverUrl: string): Promise<string> {
  const name = `kept_${crypto.randomUUID().replaceAll("-", "")}`;
  await execute(serverUrl, await documented("roles.sql", { kept: name }));
  await migrate(addresses(name, new URL(serverUrl).port).owner, "error");
  return name;
}

/** Starts a pooler by docs/postgres.md before a database that was made by that page. */
export async function startPooler(serverUrl: string, name: string) {
  const folder = join(import.meta.dir, "../../..", `data-test-pgbouncer-${crypto.randomUUID()}`);
  const user = serviceUser(join(folder, "none"));
  mkdirSync(folder);
  if (user) chownSync(folder, user.uid, user.gid);
  const [port, { port: serverPort }] = [await freePort(), new URL(serverUrl)];
  /** The DATABASE_PREPARE for this version. */
  const prepare = (await followsNames()) ? "yes" : "no";
  const settings = await documented("pgbouncer.ini", {
    "kept = host=10.0.0.11 port=5432": `${name} = host=127.0.0.1 port=${serverPort}`,
    "listen_addr = 10.0.0.41": "listen_addr = 127.0.0.1",
    "listen_port = 6432": `listen_port = ${port}`,
    "/run/postgresql": seenBy(user, folder),
    "/etc/pgbouncer": seenBy(user, folder),
  });
  const newer = prepare === "yes" ? await documented("pgbouncer-1.21.ini") : "";
  await Bun.write(join(folder, "pgbouncer.ini"), `${settings}${newer}`);
  const lines = await execute(serverUrl, await documented("userlist.sql", { kept: name }));
  await Bun.write(join(folder, "userlist.txt"), lines.map(({ line }) => `${line}\n`).join(""));
  const server = serve(folder, user, port);
  await server.start();
  return {
    pooled: addresses(name, port),
    /** The same without the pooler. */
    direct: addresses(name, serverPort),
    prepare,
    ...server,
  };
}

function serve(folder: string, user: User | undefined, port: number) {
  const command = [pgbouncer ?? "pgbouncer", join(seenBy(user, folder), "pgbouncer.ini")];
  const logFile = join(folder, "log");
  const launch = () =>
    launchServer("PgBouncer", { command, cwd: folder, user, logFile, stopSignal: "INT" }, () =>
      listens(port),
    );
  let running: Life<void>;
  return {
    async start(): Promise<void> {
      running = launch();
      await running.ready;
    },
    /** Kills it like kill -9. */
    async kill(): Promise<void> {
      process.kill(Number.parseInt(readFileSync(join(folder, "pgbouncer.pid"), "utf8"), 10), "SIGKILL");
      await running.exited;
    },
    async stop(): Promise<void> {
      await running.stop();
      rmSync(folder, { recursive: true });
    },
  };
}

function addresses(name: string, port: number | string): Addresses {
  const as = (role: string, password: string) => `postgres://${role}:${password}@127.0.0.1:${port}/${name}`;
  return {
    owner: as(name, "owner-secret"),
    door: as(`${name}_door`, "door-secret"),
    worker: as(`${name}_worker`, "worker-secret"),
    identity: as(`${name}_identity`, "identity-secret"),
  };
}

async function followsNames(): Promise<boolean> {
  const said = await new Response(Bun.spawn([pgbouncer ?? "pgbouncer", "--version"]).stdout).text();
  return Bun.semver.satisfies(/\d+\.\d+\.\d+/.exec(said)?.[0] ?? "", ">=1.21.0");
}

/** Runs statements one by one. @returns the rows of the last */
async function execute(url: string, statements: string): Promise<Record<string, unknown>[]> {
  await using sql = new SQL(url, { max: 1 });
  let rows: Record<string, unknown>[] = [];
  for (const statement of statements.trim().split(/;\n?/).filter(Boolean)) rows = await sql.unsafe(statement);
  return rows;
}
