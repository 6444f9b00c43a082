import { afterAll, test } from "bun:test";
import { chownSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { SQL } from "bun";
import { bareEnvironment } from "../../../shared/embedded/servers/guard.ts";
import { freePort } from "../../../shared/embedded/servers/port.ts";
import { serviceUser } from "../../../shared/embedded/servers/postgres.ts";
import { launchServer } from "../../../shared/embedded/servers/server.ts";
import { startRoles } from "../../support/chaos/roles.ts";
import { expectNothingLost, type WrittenThrough, writeInRounds } from "../../support/chaos/write-through.ts";
import { documented } from "../../support/documented.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { listens } from "../../support/servers/listens.ts";
import {
  createPooledDatabase,
  type Pooler,
  pgbouncer,
  startPooler,
} from "../../support/servers/pgbouncer.ts";
import { services } from "../../support/servers/services.ts";

const PATH = `${Bun.env.PATH}:/usr/sbin`;
const names = ["etcd", "patroni", "patronictl", "haproxy", "/usr/lib/postgresql/15/bin/postgres"];
/** True if Debian's packages with all these programs are installed. */
const isInstalled = names.every((name) => Bun.which(name, { PATH }));

type Program = Readonly<{
  /** The name of its folder and its log. */
  name: string;
  command: readonly string[];
  env?: Record<string, string>;
  /** True while it serves. */
  answers(): Promise<boolean>;
}>;

/** Programs that run as one user, who is not root, in folders that are removed with them. */
function createPrograms() {
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

type Stage = Readonly<{ cluster: PatroniCluster; pooler: Pooler; sql: SQL }>;

/** Two servers with a database as docs/postgres.md says, and a pooler that may be used. */
async function startStage(): Promise<Stage> {
  const cluster = await startPatroniCluster();
  const pooler = await startPooler(cluster.url, await createPooledDatabase(cluster.url));
  const sql = new SQL(pooler.direct.owner, { max: 1 });
  afterAll(async () => {
    await sql.close();
    await pooler.stop();
    await cluster.stop();
  });
  return { cluster, pooler, sql };
}

/**
 * Writes through two doors and two workers while the primary moves.
 * @returns the results of each time
 */
async function moveUnderWriters(
  { cluster, pooler }: Stage,
  way: "direct" | "pooled",
): Promise<WrittenThrough[]> {
  const { door: api, worker: workers } = pooler[way];
  const env = {
    DATABASE_PREPARE: way === "direct" ? "yes" : pooler.prepare,
    REDIS_URL: (await services()).redisUrl,
    QUEUE_PREFIX: `patroni-${way}`,
  };
  const roles = await startRoles({ env, databases: { api, workers }, apis: 2, workers: 2 });
  const disturb = () => cluster.settled().then(cluster.switchOver);
  const times = await writeInRounds(roles, { name: way, most: 2, longestGapMs: 4_000, disturb });
  await roles.stop();
  return times;
}

const isPossible = isInstalled && pgbouncer !== undefined;
if (!isPossible)
  console.log("Left out: it needs patroni, etcd-server, haproxy, postgresql-15 and pgbouncer.");

test.skipIf(!isPossible)(
  "a switchover by Patroni loses, doubles and misreports no write, behind HAProxy and behind PgBouncer too",
  async () => {
    const stage = await startStage();
    const direct = await moveUnderWriters(stage, "direct");
    const pooled = await moveUnderWriters(stage, "pooled");
    await expectNothingLost(stage.sql, [...direct, ...pooled]);
  },
);

type PatroniCluster = Awaited<ReturnType<typeof startPatroniCluster>>;

type Member = Readonly<{ name: string; role: string }>;

/** Two PostgreSQL servers under Patroni with etcd, and HAProxy before them, as docs/postgres.md says. */
async function startPatroniCluster() {
  const programs = createPrograms();
  const pair = async () => ({ postgres: await freePort(), patroni: await freePort() });
  const ports = { one: await pair(), two: await pair(), etcd: await freePort(), primary: await freePort() };

  async function startEtcd(): Promise<void> {
    const lines = await documented("etcd.env", {
      "/var/lib/etcd": programs.folder("etcd"),
      "10.0.0.21:2379": `127.0.0.1:${ports.etcd}`,
      "10.0.0.21:2380": `127.0.0.1:${await freePort()}`,
    });
    const env = Object.fromEntries(
      [...lines.matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]),
    );
    const answers = () => isOk(`http://127.0.0.1:${ports.etcd}/health`);
    await programs.start({ name: "etcd", command: ["etcd"], env, answers });
  }

  /** @returns the file of its configuration */
  async function startPatroni(name: "one" | "two"): Promise<string> {
    const folder = programs.folder(name);
    const { postgres, patroni } = ports[name];
    const text = await documented("patroni.yml", {
      "name: one": `name: ${name}`,
      "10.0.0.11:8008": `127.0.0.1:${patroni}`,
      "10.0.0.11:5432": `127.0.0.1:${postgres}`,
      "10.0.0.21:2379": `127.0.0.1:${ports.etcd}`,
      "10.0.0.0/24": "127.0.0.1/32",
      "/var/lib/postgresql": folder,
      "/var/run/postgresql": folder,
    });
    const file = join(folder, "config.yml");
    await Bun.write(file, text);
    const answers = () => isOk(`http://127.0.0.1:${patroni}/health`);
    await programs.start({ name: `patroni-${name}`, command: ["patroni", file], answers });
    return file;
  }

  async function startBalancer(): Promise<void> {
    const { one, two } = ports;
    const text = await documented("haproxy.cfg", {
      "10.0.0.31:5432": `127.0.0.1:${ports.primary}`,
      "10.0.0.11:5432 check port 8008": `127.0.0.1:${one.postgres} check port ${one.patroni}`,
      "10.0.0.12:5432 check port 8008": `127.0.0.1:${two.postgres} check port ${two.patroni}`,
    });
    const file = join(programs.folder("haproxy"), "haproxy.cfg");
    await Bun.write(file, text);
    const answers = () => listens(ports.primary);
    await programs.start({ name: "haproxy", command: ["haproxy", "-f", file], answers });
  }

  async function members(): Promise<readonly Member[]> {
    const answer = await fetch(`http://127.0.0.1:${ports.one.patroni}/cluster`);
    return ((await answer.json()) as { members: readonly Member[] }).members;
  }

  /** Resolves when there is a primary with a synchronous standby. */
  async function settled(): Promise<void> {
    while (!(await members()).some(({ role }) => role === "sync_standby")) await Bun.sleep(100);
  }

  /** Makes the other server the primary. */
  async function switchOver(): Promise<void> {
    const all = await members();
    const leader = all.find(({ role }) => role === "leader");
    const candidate = all.find(({ role }) => role !== "leader");
    const command = await documented("switchover.sh", {
      "/etc/patroni/config.yml": configuration,
      "leader one": `leader ${leader?.name}`,
      "candidate two": `candidate ${candidate?.name}`,
    });
    await programs.run(command.trim().split(" "));
  }

  await startEtcd();
  const configuration = await startPatroni("one");
  // This runs before the second server starts, because HAProxy counts servers as up until it has asked them.
  await startBalancer();
  await startPatroni("two");
  await settled();
  const url = `postgres://postgres:postgres-secret@127.0.0.1:${ports.primary}/postgres`;
  return { url, switchOver, settled, stop: programs.stop };
}

const isOk = (url: string): Promise<boolean> =>
  fetch(url).then(
    ({ ok }) => ok,
    () => false,
  );
