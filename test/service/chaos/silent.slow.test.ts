import { afterAll, expect, test } from "bun:test";
import { connect, createServer, type Socket } from "node:net";
import { freePort, testEnvironment } from "../../harness.ts";
import { startRoles } from "../../support/chaos/roles.ts";
import { callDoors, timed } from "../../support/chaos/world.ts";

/** A proxy before Redis in which subscriptions can fall silent, as behind a load balancer that forgot them. */
async function openSilencer(redisUrl: string) {
  const target = new URL(redisUrl);
  const subscribed = new Set<Socket>();
  const silent = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname);
    near.on("data", (chunk) => {
      if (/subscribe/i.test(chunk.toString("latin1"))) subscribed.add(near);
      if (!silent.has(near)) far.write(chunk);
    });
    far.on("data", (chunk) => silent.has(near) || near.write(chunk));
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const)
      one.on("close", () => other.destroy()).on("error", () => {});
  });
  const port = freePort();
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  target.port = String(port);
  const url = target.href;
  target.port = new URL(redisUrl).port;
  return {
    url,
    silence() {
      for (const socket of subscribed) silent.add(socket);
    },
    stop: () => server.close(),
  };
}

const env = await testEnvironment();
const silencer = await openSilencer(env.REDIS_URL ?? "");
const doors = await startRoles({ env: { ...env, REDIS_URL: silencer.url }, workers: 0 });
const workers = await startRoles({ env, apis: 0 });
const callers = await Promise.all(
  ["ada", "bob", "carol"].map(async (sub) => callDoors(doors.baseUrls, await doors.issuer.token({ sub }))),
);

afterAll(async () => {
  await doors.stop();
  await workers.stop();
  silencer.stop();
});

test("a reply subscription that falls silent costs nothing but a moment", async () => {
  const [ada, bob, carol] = callers.map(
    (call) =>
      (key: string, title = "Once") =>
        call("POST", "/todos", { key, body: { title } }),
  );
  if (!ada || !bob || !carol) throw new Error("no callers");
  const [before] = await Promise.all([bob("used before"), carol("used before")]);
  expect(before.status).toBe(201);
  silencer.silence();
  const [fresh, replayed, other] = await Promise.all([
    ada("fresh"),
    bob("used before"),
    carol("used before", "Another"),
  ]);
  expect([fresh.status, fresh.headers.get("idempotent-replayed")]).toEqual([201, null]);
  expect([replayed.status, replayed.headers.get("idempotent-replayed")]).toEqual([201, "true"]);
  expect(replayed.body).toEqual(before.body);
  expect([other.status, Object.keys(other.body.errors)]).toEqual([422, ["Idempotency-Key"]]);
  await Bun.sleep(1_500);
  const { result, ms } = await timed(ada("afterwards"));
  expect(result.status).toBe(201);
  expect(ms).toBeLessThan(1_400);
}, 30_000);
