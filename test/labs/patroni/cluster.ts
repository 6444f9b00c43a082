import { join } from "node:path";
import { freePort } from "../../../shared/embedded/servers/port.ts";
import { documented } from "../../support/documented.ts";
import { listens } from "../../support/servers/listens.ts";
import { createPrograms } from "./programs.ts";

export type PatroniCluster = Awaited<ReturnType<typeof startPatroniCluster>>;

type Member = Readonly<{ name: string; role: string }>;

/** Two PostgreSQL servers under Patroni with etcd, and HAProxy before them, as docs/postgres.md says. */
export async function startPatroniCluster() {
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
