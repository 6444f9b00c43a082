import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { RedisClient, SQL } from "bun";
import { callRest, testEnvironment } from "../../harness.ts";
import { type Roles, startRoles } from "../../support/chaos/roles.ts";
import { temporaryFolder } from "../../support/folder.ts";
import { startRedisNode } from "../../support/servers/redis-node.ts";
import { root } from "./compose-file.ts";

const page = await Bun.file(join(root, "docs/rotation.md")).text();
const blocks = (language: string) =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)\`\`\`$`, "gms"))].map(([, text = ""]) =>
    text.trim(),
  );

const environment = await testEnvironment();
const redis = await startRedisNode(temporaryFolder("rotation"));
await redis.send("CONFIG", "SET", "requirepass", "old");
const sql = new SQL(environment.DATABASE_URL ?? "", { max: 1 });
const admin = new RedisClient(`redis://:old@${redis.address}`);
const running: Roles[] = [];
afterAll(async () => {
  await Promise.all(running.map(({ stop }) => stop()));
  admin.close();
  await sql.close();
});

async function start(databaseUrl: string, password: string): Promise<() => Promise<number>> {
  const places = { DATABASE_URL: databaseUrl, REDIS_URL: `redis://:${password}@${redis.address}` };
  const roles = await startRoles({ env: { ...environment, ...places } });
  running.push(roles);
  const [baseUrl = ""] = roles.baseUrls;
  const token = await roles.issuer.token();
  return async () =>
    (await callRest({ baseUrl }, "POST", "/todos", { token, body: { title: "Written" } })).status;
}

/** Sends a line of the page to Redis. */
const say = (line: string) => {
  const [command = "", ...words] = line
    .replace("NEW-PASSWORD", "new")
    .replace("OLD-PASSWORD", "old")
    .split(" ");
  return admin.send(command, words);
};

test("processes with the old and the new user and password work beside each other, and the old ones on to their end", async () => {
  const url = environment.DATABASE_URL ?? "";
  // Roles are the whole server's, which other tests share.
  const name = `kept_${crypto.randomUUID().slice(0, 8)}`;
  const [roles = ""] = blocks("sql");
  await sql.unsafe(roles.replaceAll("kept_2", name)).simple();
  const newUrl = Object.assign(new URL(url), { username: name, password: "NEW-PASSWORD" }).href;
  const [more = "", fewer = ""] = blocks("redis");

  const writeBefore = await start(url, "old");
  await say(more);
  const writeAfter = await start(newUrl, "new");
  expect([await writeBefore(), await writeAfter()]).toEqual([201, 201]);
  await say(fewer);
  expect([await writeBefore(), await writeAfter()]).toEqual([201, 201]);
  await expect(new RedisClient(`redis://:old@${redis.address}`).ping()).rejects.toThrow();
  const [owned] = await sql.unsafe(
    `select count(*)::int as count from pg_class where relowner = '${name}'::regrole`,
  );
  expect(owned.count).toBe(0);
});
