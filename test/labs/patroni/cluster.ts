import { join } from "node:path";
import { freePort } from "../../../shared/embedded/servers/port.ts";
import { documented } from "../../support/documented.ts";
import { listens } from "../../support/servers/listens.ts";
import { createPrograms, type Programs } from "./programs.ts";

const servers = ["one", "two"] as const;
type Name = (typeof servers)[number];
type Ports = Readonly<
  Record<Name, { postgres: number; patroni: number }> & { etcd: number; primary: number }
>;

export type PatroniCluster = Readonly<{
  /** The superuser's address of the present primary. */
  url: string;
  /** Makes the other server the primary. */
  switchOver(): Promise<void>;
  /** Resolves when there is a primary with a synchronous standby. */
  settled(): Promise<void>;
  stop(): Promise<void>;
}>;

/** Two PostgreSQL servers under Patroni with etcd, and HAProxy before them, as docs/postgres.md says. */
export async function startPatroniCluster(): Promise<PatroniCluster> {
  const programs = createPrograms();
  const pair = async () => ({ postgres: await freePort(), patroni: await freePort() });
  const ports = { one: await pair(), two: await pair(), etcd: await freePort(), primary: await freePort() };
  const patroni = `http://127.0.0.1:${ports.one.patroni}`;
  await startEtcd(programs, ports);
  const configuration = await startPatroni(programs, ports, "one");
  // This runs before the second server starts, because HAProxy counts servers as up until it has asked them.
  await startBalancer(programs, ports);
  await startPatroni(programs, ports, "two");
  const settled = async () => {
    while (!(await rolesOf(patroni)).some(({ role }) => role === "sync_standby")) await Bun.sleep(100);
  };
  await settled();
  return {
    url: `postgres://postgres:postgres-secret@127.0.0.1:${ports.primary}/postgres`,
    async switchOver() {
      const members = await rolesOf(patroni);
      const leader = members.find(({ role }) => role === "leader")?.name ?? "";
      const candidate = members.find(({ role }) => role !== "leader")?.name ?? "";
      const command = await documented("switchover.sh", {
        "/etc/patroni/config.yml": configuration,
        "leader one": `leader ${leader}`,
        "candidate two": `candidate ${candidate}`,
      });
      await programs.run(command.trim().split(" "));
    },
    settled,
    stop: programs.stop,
  };
}

async function startEtcd(programs: Programs, ports: Ports): Promise<void> {
  const lines = await documented("etcd.env", {
    "/var/lib/etcd": programs.folder("etcd"),
    "10.0.0.21:2379": `127.0.0.1:${ports.etcd}`,
    "10.0.0.21:2380": `127.0.0.1:${await freePort()}`,
  });
  const env = Object.fromEntries(
    lines.split("\n").flatMap((line) => (line === "" ? [] : [line.split(/=(.*)/).slice(0, 2)])),
  );
  await programs.start({
    name: "etcd",
    command: ["etcd"],
    env,
    answers: () => isOk(`http://127.0.0.1:${ports.etcd}/health`),
  });
}

/** @returns the file of its configuration */
async function startPatroni(programs: Programs, ports: Ports, name: Name): Promise<string> {
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
  await programs.start({
    name: `patroni-${name}`,
    command: ["patroni", file],
    answers: () => isOk(`http://127.0.0.1:${patroni}/health`),
  });
  return file;
}

async function startBalancer(programs: Programs, ports: Ports): Promise<void> {
  const text = await documented("haproxy.cfg", {
    "10.0.0.31:5432": `127.0.0.1:${ports.primary}`,
    "10.0.0.11:5432 check port 8008": `127.0.0.1:${ports.one.postgres} check port ${ports.one.patroni}`,
    "10.0.0.12:5432 check port 8008": `127.0.0.1:${ports.two.postgres} check port ${ports.two.patroni}`,
  });
  const file = join(programs.folder("haproxy"), "haproxy.cfg");
  await Bun.write(file, text);
  await programs.start({
    name: "haproxy",
    command: ["haproxy", "-f", file],
    answers: () => listens(ports.primary),
  });
}

type Member = Readonly<{ name: string; role: string }>;

/** The present role of each server, according to one of them. */
async function rolesOf(patroni: string): Promise<readonly Member[]> {
  const answer = await fetch(`${patroni}/cluster`);
  const { members } = (await answer.json()) as { members: readonly Member[] };
  return members;
}

const isOk = (url: string): Promise<boolean> =>
  fetch(url).then(
    ({ ok }) => ok,
    () => false,
  );
