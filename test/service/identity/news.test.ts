import { expect, test } from "bun:test";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadConfig } from "../../../shared/process/config.ts";
import { connect, introspect, registerApp, runIdentity, signedUp } from "../../support/identity/support.ts";
import { eventually } from "../../support/reminder/stack.ts";
import { createDatabase, freePort, services } from "../../support/servers/services.ts";

async function freshConfig() {
  return loadConfig({
    DATABASE_URL: await createDatabase(),
    REDIS_URL: (await services()).redisUrl,
    DATA_DIR: await mkdtemp(join(tmpdir(), "kept-identity-")),
    PORT: String(freePort()),
    IDENTITY_PORT: String(freePort()),
  });
}

test("an account's tokens have ended when the service is told to delete the rest", async () => {
  const config = await freshConfig();
  const seen: unknown[] = [];
  const identity = await runIdentity(config, async ({ name }) => {
    if (name === "user.delete") seen.push(await introspect(config, token));
  });
  const browser = await signedUp(config);
  const clientId = await registerApp(config);
  const { access_token: token } = await connect(config, browser, { clientId, scope: "habits:read" });
  await browser.submit(await browser.open("/profile"), "/profile/delete", {});
  expect(seen).toEqual([{ active: false }]);
  await identity.stop();
});

test("what the service cannot hear at once is told again until it has heard it", async () => {
  const config = await freshConfig();
  const tries: string[] = [];
  const identity = await runIdentity(config, async ({ id, name }) => {
    tries.push(`${id} ${name}`);
    if (tries.length === 1) throw new Error("The queue is away.");
  });
  const browser = await signedUp(config);
  const done = await browser.submit(await browser.open("/profile"), "/profile/delete", {});
  expect(done.text).toContain("deleted as soon as the service can be reached");
  await eventually(async () => (await identity.sql("select from identity.outbox")).length === 0, 20_000);
  expect(tries.length).toBeGreaterThan(1);
  expect(new Set(tries)).toEqual(new Set(["1 user.delete"]));
  await identity.stop();
});
