import { expect, test } from "bun:test";
import { sessionCookie } from "../../../api/doors/pages/session/session.ts";
import { csrfToken } from "../../../api/web/form/csrf.ts";
import { startStack } from "../../harness.ts";
import { pagesKeysOf } from "../../support/pages/keys.ts";

test("while the provider is away a session goes on, and nobody new gets in but with a page that says so", async () => {
  const secret = "s".repeat(32);
  const env = { AUTH_URL: "http://127.0.0.1:9", AUTH_CLIENT_ID: "kept", AUTH_CLIENT_SECRET: secret };
  const { config } = await startStack({ env });
  const cookie = await sessionCookie({ config, keys: await pagesKeysOf(config) }).seal({
    sub: "ada",
    sid: "1",
    generation: 0,
  });
  const today = await fetch(`${config.baseUrl}/account`, { headers: { cookie } });
  expect(await today.text()).toContain("You have no habits yet");
  const refused = await fetch(`${config.baseUrl}/account`);
  expect(refused.status).toBe(503);
  expect(refused.headers.get("retry-after")).toBe("5");
  expect(await refused.text()).toContain("cannot be reached");
});

test("while the queue is away a person still sees the day, and learns that nothing was ticked off", async () => {
  const secret = "s".repeat(32);
  const env = { AUTH_CLIENT_ID: "kept", AUTH_CLIENT_SECRET: secret, REDIS_URL: "redis://127.0.0.1:9" };
  const { config } = await startStack({ env, workers: 0 });
  const keys = await pagesKeysOf(config);
  const cookie = await sessionCookie({ config, keys }).seal({ sub: "ada", sid: "1", generation: 0 });
  expect((await fetch(`${config.baseUrl}/account`, { headers: { cookie } })).status).toBe(200);
  const body = new URLSearchParams({ csrf: csrfToken(keys.forms, "1"), todo_id: "1", done: "yes" });
  const answer = await fetch(`${config.baseUrl}/account/tick`, { method: "POST", headers: { cookie }, body });
  expect(answer.status).toBe(503);
  expect(answer.headers.get("retry-after")).toBe("1");
  expect(await answer.text()).toContain("briefly unable to write");
});

test("without credentials for the provider the account pages say what is missing", async () => {
  const { config } = await startStack({ env: { AUTH_URL: "http://127.0.0.1:9" } });
  const answer = await fetch(`${config.baseUrl}/account`);
  expect(answer.status).toBe(503);
  expect(await answer.text()).toContain("AUTH_CLIENT_ID");
});
