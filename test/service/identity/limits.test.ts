import { afterAll, beforeAll, expect, test } from "bun:test";
import { networkOf } from "../../../api/http/intake/network.ts";
import { createBrowser } from "../../support/identity/browser.ts";
import { startTestIdentity, type TestIdentity } from "../../support/identity/support.ts";

const HOUR = 60 * 60;

let identity: TestIdentity;
beforeAll(async () => {
  identity = await startTestIdentity();
});
afterAll(() => identity.stop());

function expectHourAtMost(headers: Headers): void {
  const seconds = Number(headers.get("retry-after"));
  expect(seconds).toBeGreaterThan(0);
  expect(seconds).toBeLessThanOrEqual(HOUR);
}

function signUp(email: string, password = "correct horse battery") {
  const browser = createBrowser(identity.config.authUrl);
  return browser
    .open("/sign-up?next=/profile")
    .then((page) => browser.submit(page, "/sign-up", { email, password }));
}

test("the thirty-first account of an hour from one network address is refused", async () => {
  for (let n = 1; n <= 30; n++) expect((await signUp(`n${n}@example.org`)).status).toBe(200);
  // A form with a mistake in it does not count, and still says what the mistake is.
  expect((await signUp("late@example.org", "short")).status).toBe(422);
  const refused = await signUp("late@example.org");
  expect(refused.status).toBe(429);
  expectHourAtMost(refused.headers);
  expect(await identity.sql("select from identity.accounts where email = 'late@example.org'")).toEqual([]);
});

test("the sixty-first app that registers in an hour from one network address is refused", async () => {
  const register = () =>
    fetch(`${identity.config.authUrl}/register`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ redirect_uris: ["http://127.0.0.1/callback"] }),
    });
  for (let n = 1; n <= 60; n++) expect((await register()).status).toBe(201);
  const refused = await register();
  expect(refused.status).toBe(429);
  expectHourAtMost(refused.headers);
  expect(await refused.json()).toMatchObject({ error: "temporarily_unavailable" });
});

test("behind a trusted proxy each client's network has its own limit, with an http address too", async () => {
  await identity.sql("delete from identity.throttle");
  const register = (client: string) =>
    fetch(`${identity.config.authUrl}/register`, {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-Forwarded-For": client },
      body: JSON.stringify({ redirect_uris: ["http://127.0.0.1/callback"] }),
    });
  for (let n = 1; n <= 60; n++) await register("203.0.113.7");
  expect((await register("203.0.113.7")).status).toBe(429);
  expect((await register("203.0.113.8")).status).toBe(201);
});

test("all addresses of an IPv6 network count as one, and no others do", () => {
  const own = ["2001:db8:1:2::1", "2001:db8:1:2:ffff:ffff:ffff:ffff", "2001:db8:1:2:3::"];
  expect(new Set(own.map(networkOf))).toEqual(new Set(["2001:db8:1:2"]));
  expect(networkOf("2001:db8::1:2:3")).toBe("2001:db8:0:0");
  expect(networkOf("::1")).toBe("0:0:0:0");
  for (const address of ["192.0.2.1", "::ffff:192.0.2.1"]) expect(networkOf(address)).toBe(address);
});
