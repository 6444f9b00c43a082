import { afterAll, beforeAll, expect, test } from "bun:test";
import {
  checkInTurn,
  hashedAtOnce,
  inHashingTurn,
} from "../../../api/identity/accounts/passwords/hashing-turns.ts";
import { type Browser, createBrowser } from "../../support/identity/browser.ts";
import { signedUp, startTestIdentity, type TestIdentity } from "../../support/identity/support.ts";

const password = "correct horse battery";

let identity: TestIdentity;
beforeAll(async () => {
  identity = await startTestIdentity();
});
afterAll(() => identity.stop());

/** A browser never seen before; the provider's two loopback addresses are two networks. */
const from = (host: string) => {
  const { authUrl } = identity.config;
  return createBrowser(authUrl.replace("localhost", host), new URL(authUrl).origin);
};
const here = () => from("127.0.0.1");
const elsewhere = () => from("[::1]");

async function signIn(email: string, secret: string, browser: Browser) {
  return browser.submit(await browser.open("/sign-in?next=/profile"), "/sign-in", {
    email,
    password: secret,
  });
}

/** Browsers that were never seen before, from one network. */
async function guess(email: string, times: number): Promise<number[]> {
  const statuses: number[] = [];
  for (let n = 0; n < times; n++) statuses.push((await signIn(email, "wrong password", here())).status);
  return statuses;
}

test("guessing at one account from one network is throttled, also with the right password in the end", async () => {
  await signedUp(identity.config, "guessed@example.org");
  expect(new Set(await guess("guessed@example.org", 10))).toEqual(new Set([422]));
  const refused = await signIn("guessed@example.org", password, here());
  expect(refused.status).toBe(429);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  expect((await signIn("guessed@example.org", password, elsewhere())).status).toBe(200);
});

test("a network that is blocked for its guesses takes nothing more from anybody's count", async () => {
  await signedUp(identity.config, "bob@example.org");
  for (let n = 0; n < 50; n++) await guess(`nobody${n}@example.org`, 1);
  expect(await guess("bob@example.org", 12)).toEqual(Array(12).fill(429));
  expect((await signIn("bob@example.org", password, elsewhere())).status).toBe(200);
  // Passkeys cannot be guessed, so guesses of others in the network do not block them.
  const neighbour = here();
  const page = await neighbour.open("/sign-in");
  expect((await neighbour.submit(page, "/sign-in/passkey", { credential: "none" })).status).toBe(422);
  await identity.sql("delete from identity.throttle");
});

test("guesses from ever so many networks do not lock out a browser in which the account was signed in", async () => {
  const browser = here();
  await signedUp(identity.config, "carol@example.org");
  expect((await signIn("carol@example.org", password, browser)).status).toBe(200);
  await browser.submit(await browser.open("/profile"), "/sign-out", {});
  await guess("carol@example.org", 1);
  await identity.sql(
    "update identity.throttle set points = 200 where key like 'account-total:%' and points > 0",
  );
  expect((await signIn("carol@example.org", password, elsewhere())).status).toBe(429);
  expect((await signIn("carol@example.org", password, browser)).status).toBe(200);
  // The known browser does not circumvent the limit.
  await browser.submit(await browser.open("/profile"), "/sign-out", {});
  const statuses: number[] = [];
  for (let n = 0; n < 12; n++) statuses.push((await signIn("carol@example.org", "wrong", browser)).status);
  expect(statuses).toEqual([...Array(10).fill(422), 429, 429]);
  await identity.sql("delete from identity.throttle");
});

test("right passwords use nothing up: 52 sign-ins from one network, and then another person's", async () => {
  await signedUp(identity.config, "dan@example.org");
  await signedUp(identity.config, "eve@example.org");
  for (let n = 0; n < 26; n++) {
    for (const name of ["dan", "eve"])
      expect((await signIn(`${name}@example.org`, password, here())).status).toBe(200);
  }
  expect((await signIn("eve@example.org", password, here())).status).toBe(200);
});

test("a signed-in person can change the password while strangers guess at it, and has ten attempts", async () => {
  const browser = await signedUp(identity.config, "fred@example.org");
  await guess("fred@example.org", 12);
  const change = async (secret: string) =>
    browser.submit(await browser.open("/profile"), "/profile/password", {
      password: secret,
      new_password: "another long one",
    });
  for (let n = 0; n < 9; n++) expect((await change("wrong")).status).toBe(422);
  expect((await change(password)).text).toContain("Your password is changed");
  for (let n = 0; n < 10; n++) await change("wrong");
  expect((await change("another long one")).text).toContain("Too many attempts");
});

test("thirty right passwords of an account in 15 minutes use nothing up, and those after count like others", async () => {
  await identity.sql("delete from identity.throttle");
  await signedUp(identity.config, "often@example.org");
  const statuses: number[] = [];
  for (let n = 0; n < 42; n++) statuses.push((await signIn("often@example.org", password, here())).status);
  expect(statuses).toEqual([...Array(40).fill(200), 429, 429]);
  await signedUp(identity.config, "seldom@example.org");
  expect((await signIn("seldom@example.org", password, elsewhere())).status).toBe(200);
});

test("an account has fifty sessions at the most, and those that were used last", async () => {
  await identity.sql("delete from identity.throttle");
  await signedUp(identity.config, "many@example.org");
  const of = "account_id = (select id from identity.accounts where email = 'many@example.org')";
  await identity.sql(`
    with made as (
      insert into identity.artifacts (kind, id_hash, payload, account_id, uid, expires_at)
      select 'Session', decode(md5(n::text), 'hex'), '{}', id, 'old' || n, now() + n * interval '1 minute'
      from identity.accounts, generate_series(1, 50) n where email = 'many@example.org' returning uid, account_id
    )
    insert into identity.session_browsers (session_uid, account_id, user_agent) select uid, account_id, '' from made`);
  expect((await signIn("many@example.org", password, here())).status).toBe(200);
  const left = await identity.sql(`select uid from identity.artifacts where kind = 'Session' and ${of}`);
  expect(left).toHaveLength(50);
  expect(left.map(({ uid }) => uid)).not.toContain("old2");
  expect(left.map(({ uid }) => uid)).toContain("old3");
  expect(await identity.sql(`select from identity.session_browsers where ${of}`)).toHaveLength(50);
});

test("accounts take turns at hashing, so that the many of one delay nobody else", async () => {
  const [order, gates]: [string[], (() => void)[]] = [[], []];
  const hash = (email: string) =>
    inHashingTurn(email, () => {
      order.push(email);
      return new Promise<void>((resolve) => gates.push(resolve));
    });
  const all = ["eve", "eve", "eve", "eve", "ada", "eve"].map(hash);
  for (let done = 0; done < 6; done++) {
    await Bun.sleep(0);
    gates[done]?.();
  }
  await Promise.all(all);
  // Before Ada's turn come those that already run, and the one that waited longest.
  expect(order.indexOf("ada")).toBe(hashedAtOnce + 1);
});

test("after a right password its account rests three times as long as the check took", async () => {
  const began: number[] = [];
  const check = () =>
    checkInTurn("eve", async () => {
      began.push(performance.now());
      await Bun.sleep(20);
      return true;
    });
  await Promise.all([check(), check(), check()]);
  const [first = 0, second = 0, third = 0] = began;
  expect(second - first).toBeGreaterThan(75);
  expect(third - second).toBeGreaterThan(75);
});
