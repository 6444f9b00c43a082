import { afterAll, beforeAll, expect, type Mock, spyOn, test } from "bun:test";
import { Client } from "pg";
import type { Log } from "../../../shared/process/observe/log.ts";
import { createBrowser } from "../../support/identity/browser.ts";
import {
  authorizationRequest,
  registerApp,
  serviceClient,
  startTestIdentity,
  type TestIdentity,
} from "../../support/identity/support.ts";

let identity: TestIdentity;
let faults: Mock<Log["error"]>;
let warnings: Mock<Log["warn"]>;
beforeAll(async () => {
  identity = await startTestIdentity();
  faults = spyOn(identity.log, "error");
  warnings = spyOn(identity.log, "warn");
});
afterAll(() => identity.stop());

const ask = (address: string, init: RequestInit = {}) =>
  fetch(`${identity.config.authUrl}${address}`, { redirect: "manual", ...init });

/** Runs `work` while no statement on these tables is answered. */
async function whileLocked<Result>(tables: string, work: () => Promise<Result>): Promise<Result> {
  const holder = new Client({ connectionString: identity.config.databaseUrl });
  await holder.connect();
  await holder.query(`begin; lock table ${tables} in access exclusive mode`);
  try {
    return await work();
  } finally {
    await holder.end();
  }
}

async function signIn(): Promise<number> {
  const browser = createBrowser(identity.config.authUrl);
  const { email, password } = identity.owner;
  const form = await browser.open("/sign-in?next=/profile");
  return (await browser.submit(form, "/sign-in", { email, password })).status;
}

test("a flood from one network gets no fault, and delays no sign-in from another", async () => {
  const client_id = await registerApp(identity.config);
  const { address } = authorizationRequest(identity.config, { client_id });
  const statuses: number[] = [];
  let left = 600;
  const stranger = async () => {
    while (left-- > 0) {
      const answer = await ask(address, { headers: { "X-Forwarded-For": "203.0.113.7" } });
      statuses.push(answer.status);
      if (answer.status === 503) expect(answer.headers.get("retry-after")).toBe("1");
    }
  };
  const { flood, others } = await whileLocked("identity.clients", async () => {
    const flood = Promise.all(Array.from({ length: 100 }, stranger));
    const others = [await signIn()];
    while (!statuses.includes(503)) await Bun.sleep(10);
    return { flood, others: [...others, await signIn()] };
  });
  others.push(await signIn());
  await flood;
  expect(others).toEqual([200, 200, 200]);
  expect([...new Set(statuses)].sort()).toEqual([303, 503]);
  expect(faults).not.toHaveBeenCalled();
}, 30_000);

test("a database that does not answer is an outage on pages and at the endpoints, with one line in the log", async () => {
  const { id, secret } = await serviceClient(identity.config);
  const client_id = await registerApp(identity.config);
  const body = (fields: Record<string, string>) => ({
    method: "POST",
    body: new URLSearchParams({ client_id, ...fields }),
  });
  const asService = { method: "POST", headers: { Authorization: `Basic ${btoa(`${id}:${secret}`)}` } };
  const tables = "identity.clients, identity.artifacts, identity.throttle, identity.accounts";
  await whileLocked(tables, async () => {
    const endpoints = [
      ask("/token", body({ grant_type: "refresh_token", refresh_token: "x" })),
      ask("/revoke", body({ token: "x" })),
      ask("/introspect", { ...asService, body: new URLSearchParams({ token: "x" }) }),
      ask("/userinfo", { headers: { Authorization: "Bearer x" } }),
      ask("/register", { method: "POST" }),
    ];
    for (const answer of await Promise.all(endpoints)) {
      expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "1"]);
      expect(await answer.json()).toMatchObject({ error: "temporarily_unavailable" });
    }
    const pages = [authorizationRequest(identity.config, { client_id }).address, "/sign-in/link?token=x"];
    for (const page of pages) {
      const answer = await ask(page, { headers: { Accept: "text/html" } });
      expect([page, answer.status, answer.headers.get("retry-after")]).toEqual([page, 503, "1"]);
      expect(await answer.text()).toContain("The service is briefly unable to answer. Please try again.");
    }
  });
  expect(faults).not.toHaveBeenCalled();
  expect(warnings.mock.calls.map(([, text]) => text)).toEqual(["the database failed a statement"]);
}, 30_000);
