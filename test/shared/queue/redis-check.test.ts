import { afterAll, expect, test } from "bun:test";
import { createServer } from "node:tls";
import { connectFailFast } from "../../../shared/queue/connections.ts";
import { problemOfRedis } from "../../../shared/queue/redis-check.ts";
import { freePort, testEnvironment } from "../../harness.ts";
import { limitedUser } from "../../support/servers/redis-user.ts";
import { selfSigned } from "../../support/servers/self-signed.ts";

const { REDIS_URL: url = "", QUEUE_PREFIX: prefix = "" } = await testEnvironment();

async function problemAt(address: string) {
  const redis = connectFailFast(address);
  const problem = await problemOfRedis(redis, prefix);
  redis.disconnect();
  return problem;
}

test("each reason why Redis cannot be used is told with what to do", async () => {
  expect(await problemAt(url)).toBeUndefined();
  expect(await problemAt(url.replace(/:[^:@]+@/, ":guess@"))).toEqual({
    reason: expect.stringContaining("WRONGPASS"),
    advice: "Correct the user and the password in REDIS_URL.",
  });
  expect(await problemAt(`redis://127.0.0.1:${freePort()}`)).toEqual({
    reason: expect.stringContaining("ECONNREFUSED"),
    advice: "Look at its log, and whether it is at the address in REDIS_URL.",
  });
  const server = createServer(await selfSigned()).listen(0, "127.0.0.1");
  afterAll(() => server.close());
  const address = server.address();
  if (typeof address !== "object" || !address) throw new Error("no address");
  expect(await problemAt(`rediss://localhost:${address.port}`)).toEqual({
    reason: expect.stringContaining("certificate"),
    advice: "Name the file with the certificate of its authority by NODE_EXTRA_CA_CERTS.",
  });
});

test("a user of Redis needs the keys of both forms, channels and scripts, and no more than docs/operations.md says", async () => {
  const advice = "Give the user of REDIS_URL the rights of docs/operations.md#a-redis-of-yours.";
  const all = `~${prefix}:* ~{${prefix}}:* &${prefix}:* +@all -@admin -@dangerous +info`;
  expect(await problemAt(await limitedUser(url, all))).toBeUndefined();
  for (const part of [`~${prefix}:* `, `~{${prefix}}:* `, `&${prefix}:* `])
    expect(await problemAt(await limitedUser(url, all.replace(part, "")))).toMatchObject({ advice });
  expect(await problemAt(await limitedUser(url, `${all} -@scripting`))).toMatchObject({ advice });
});
