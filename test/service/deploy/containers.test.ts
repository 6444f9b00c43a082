import { afterAll, expect, test } from "bun:test";
import { chmodSync, mkdtempSync, readdirSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { RedisClient } from "bun";
import { freePort } from "../../../shared/embedded/servers/port.ts";
import { redisBinary } from "../../../shared/embedded/servers/redis.ts";
import { useStack } from "../../harness.ts";
import { eventually } from "../../support/reminder/stack.ts";
import { fillIn, root, serviceOf } from "./compose-file.ts";
import { hasDebianPostgres, startDebianPostgres } from "./debian-postgres.ts";

const running: { kill(): void; exited: Promise<number> }[] = [];
afterAll(async () => {
  for (const child of running) {
    child.kill();
    await child.exited;
  }
});

/** Runs a service's command with its environment, as its container does, except for `changes`. */
function run(
  command: readonly string[],
  env: Record<string, string | undefined>,
  changes: [string, string][] = [],
) {
  const words = command.map((word) =>
    changes.reduce((text, [from, to]) => text.replaceAll(from, to), fillIn(word, {})),
  );
  const child = Bun.spawn(words, { env, stdio: ["ignore", "ignore", "pipe"], cwd: env.FOLDER ?? root });
  running.push(child);
  return child;
}

const newFolder = () => mkdtempSync(join(tmpdir(), "kept-deploy-"));

test("Redis starts as compose.yaml starts it: with the password, on disk, and forgetting nothing", async () => {
  const [folder, port] = [newFolder(), await freePort()];
  const { path, env } = await redisBinary(join(root, ".runtime"), () => {});
  const program = join(folder, "valkey-server");
  writeFileSync(program, `#!/bin/sh\nexec ${path} "$@" --port ${port} --bind 127.0.0.1 --dir ${folder}\n`);
  chmodSync(program, 0o755);
  const { command = [], environment } = serviceOf("redis");
  const REDISCLI_AUTH = fillIn(environment.REDISCLI_AUTH ?? "", { POSTGRES_PASSWORD: "pw1" });
  const PATH = `${folder}:${process.env.PATH}`;
  run(command, { ...env, FOLDER: folder, PATH, REDISCLI_AUTH }, [["/tmp/", `${folder}/`]]);

  const asked = new RedisClient(`redis://:pw1@127.0.0.1:${port}`);
  while ((await asked.ping().catch(() => undefined)) !== "PONG") await Bun.sleep(20);
  const setting = async (name: string) => Object.values(await asked.send("CONFIG", ["GET", name]))[0];
  const names = ["maxmemory-policy", "appendonly", "save", "maxmemory"];
  expect(await Promise.all(names.map(setting))).toEqual(["noeviction", "yes", "", String(512 * 1024 ** 2)]);
  asked.close();
  const stranger = new RedisClient(`redis://127.0.0.1:${port}`);
  await expect(stranger.send("KEYS", ["*"])).rejects.toThrow(/NOAUTH|authentication/i);
  stranger.close();
});

test("a container's check asks its role, and says no to another answer and to none", async () => {
  const { config } = await useStack();
  const { test: check = [] } = serviceOf("api").healthcheck ?? {};
  const [program, ...words] = check.slice(0, -2);
  expect(program).toBe("CMD");
  const ask = (port: number, path: string) =>
    run([...words, String(port), path], { PATH: process.env.PATH }).exited;
  expect(check.at(-1)).toBe("/health/ready");
  expect(await ask(config.port, "/health/ready")).toBe(0);
  expect(await ask(config.port, "/health/nowhere")).not.toBe(0);
  expect(await ask(await freePort(), "/health/ready")).not.toBe(0);
});

test.skipIf(!hasDebianPostgres)(
  "a backup is whole, and older ones go only when there is a newer",
  async () => {
    const [server, folder] = [await startDebianPostgres(), newFolder()];
    await Bun.$`psql --command "create table kept_once as select 42 as answer"`.env(server.env).quiet();
    const dumps = () => readdirSync(folder).filter((name) => name.endsWith(".dump"));
    const age = (name: string) => utimesSync(join(folder, name), 0, 0);
    const made = "kept-2020-01-01T000000Z.dump";
    writeFileSync(join(folder, made), "");
    age(made);
    const env = { ...server.env, FOLDER: folder, BACKUP_HOURS: "6", BACKUP_DAYS: "1" };
    const loop = run(serviceOf("backup").command ?? [], env, [["sleep ", "sleep 0.1 # "]]);
    let complaints = 0;
    void (async () => {
      for await (const _ of loop.stderr) complaints += 1;
    })();
    while (dumps().length === 0 || dumps().includes(made)) await Bun.sleep(20);
    await server.stop();

    const [dump = ""] = dumps();
    const listed = await Bun.$`pg_restore --list ${join(folder, dump)}`.text();
    expect(listed).toContain("TABLE DATA public kept_once");
    const left = dumps();
    left.forEach(age);
    const told = complaints;
    await eventually(() => complaints > told + 1);
    expect(dumps()).toEqual(left);
  },
);
