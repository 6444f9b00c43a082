import { expect, test } from "bun:test";
import { networkOf } from "../../../api/http/request.ts";
import * as turns from "../../../api/identity/accounts/passwords.ts";
import { createBrowser, newAddress } from "../../support/identity/browser.ts";
import {
  changePassword,
  password,
  register,
  setCount,
  signedUp,
  signIn,
  useIdentity,
} from "../../support/identity/support.ts";

const { config, sql } = await useIdentity();

const browserAt = (client: string) => createBrowser(config.authUrl, undefined, {}, client);
/** A sign-in by a browser that was never seen before. */
const attempt = async (email: string, secret: string, client = newAddress()) =>
  (await signIn(config, email, secret, browserAt(client))).page;

async function newPerson() {
  const email = `${crypto.randomUUID()}@example.org`;
  return { email, browser: await signedUp(config, email) };
}

const hash = (text: string) => new Bun.CryptoHasher("sha256").update(text).digest("base64url");
const keys = {
  ofAccountAt: (email: string, client: string) => `account-address:${hash(`${email} ${client}`)}`,
  ofAccount: (email: string) => `account-total:${hash(email)}`,
};

const accountOf = (email: string) => `(select id from identity.accounts where email = '${email}')`;
const count = (key: string, points: number) => setCount({ sql }, key, points);

function expectWait({ status, headers }: Pick<Response, "status" | "headers">): void {
  expect(status).toBe(429);
  expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
}

/** The minutes after which a count begins anew. */
async function minutesOf(key: string): Promise<number> {
  const [row] = await sql(`select round((expire / 1000 - extract(epoch from now())) / 60)::int as minutes
    from identity.throttle where key = '${key}'`);
  return Number(row?.minutes);
}

test("the eleventh guess at one account from one network is refused, also with the right password", async () => {
  const { email } = await newPerson();
  const here = newAddress();
  expect((await attempt(email, "wrong password", here)).status).toBe(422);
  expect(await minutesOf(keys.ofAccountAt(email, here))).toBe(15);
  await count(keys.ofAccountAt(email, here), 9);
  expect((await attempt(email, "wrong password", here)).status).toBe(422);
  expectWait(await attempt(email, password, here));
  expect((await attempt(email, password)).status).toBe(200);
});

test("a network that is blocked for fifty guesses takes nothing more from anybody's count", async () => {
  const { email } = await newPerson();
  const here = newAddress();
  await count(`address:${here}`, 49);
  await count(keys.ofAccount(email), 199);
  expect((await attempt("nobody@example.org", "wrong password", here)).status).toBe(422);
  for (const _ of [1, 2]) expect((await attempt(email, "wrong password", here)).status).toBe(429);
  expect((await attempt(email, password)).status).toBe(200);
  // Passkeys cannot be guessed, so guesses of others in the network do not block them.
  const neighbour = browserAt(here);
  const page = await neighbour.open("/sign-in");
  expect((await neighbour.submit(page, "/sign-in/passkey", { credential: "none" })).status).toBe(422);
});

test("guesses from ever so many networks do not lock out a browser in which the account was signed in", async () => {
  const { email } = await newPerson();
  const { browser } = await signIn(config, email);
  const signOut = async () => browser.submit(await browser.open("/profile"), "/account/sign-out", {});
  const inBrowser = async (secret: string) => (await signIn(config, email, secret, browser)).page.status;
  await signOut();
  await count(keys.ofAccount(email), 200);
  expect((await attempt(email, password)).status).toBe(429);
  expect(await inBrowser(password)).toBe(200);
  // The known browser has ten attempts of its own.
  await signOut();
  const statuses = [await inBrowser("wrong")];
  await sql("update identity.throttle set points = 9 where key like 'browser:%'");
  for (const secret of ["wrong", "wrong", password]) statuses.push(await inBrowser(secret));
  expect(statuses).toEqual([422, 422, 429, 429]);
});

test("right passwords use nothing up, thirty of an account in 15 minutes; those after count like others", async () => {
  const [often, other] = [await newPerson(), await newPerson()];
  const here = newAddress();
  await count(keys.ofAccountAt(often.email, here), 9);
  await count(`address:${here}`, 49);
  await count(`right:${hash(often.email)}`, 29);
  const statuses: number[] = [];
  for (const { email } of [often, other, often, often])
    statuses.push((await attempt(email, password, here)).status);
  expect(statuses).toEqual([200, 200, 200, 429]);
});

test("a signed-in person has ten attempts at the current password, whatever strangers guess", async () => {
  const { browser, email } = await newPerson();
  await count(keys.ofAccount(email), 201);
  const nineAttempts = async () => {
    const [session] = await sql(
      `select session_uid from identity.session_browsers where account_id = ${accountOf(email)}`,
    );
    await count(`session:${session?.session_uid}`, 9);
  };
  const new_password = "another long one";
  await nineAttempts();
  expect((await changePassword(browser, { new_password })).text).toContain("Your password is changed");
  await nineAttempts();
  expect((await changePassword(browser, { password: "wrong", new_password })).status).toBe(422);
  const late = await changePassword(browser, { password: new_password, new_password });
  expect(late.text).toContain("Too many attempts");
});

test("the thirty-first account of an hour from one network is refused", async () => {
  const client = newAddress();
  const signUp = async (email: string, secret = password) => {
    const browser = browserAt(client);
    const form = await browser.open("/sign-up?next=/profile");
    return browser.submit(form, "/sign-up", { email, password: secret });
  };
  expect((await signUp(`${crypto.randomUUID()}@example.org`)).status).toBe(200);
  expect(await minutesOf(`sign-up:${client}`)).toBe(60);
  await count(`sign-up:${client}`, 29);
  expect((await signUp(`${crypto.randomUUID()}@example.org`)).status).toBe(200);
  // A form with a mistake in it does not count, and still says what the mistake is.
  expect((await signUp("late@example.org", "short")).status).toBe(422);
  expectWait(await signUp("late@example.org"));
  expect(await sql("select from identity.accounts where email = 'late@example.org'")).toEqual([]);
});

test("the sixty-first app that registers in an hour is refused; each network behind a proxy has its own limit", async () => {
  const client = newAddress();
  const ask = (from = client) => register(config, { redirect_uris: ["http://127.0.0.1/callback"] }, from);
  expect((await ask()).status).toBe(201);
  expect(await minutesOf(`registration:${client}`)).toBe(60);
  await count(`registration:${client}`, 59);
  expect((await ask()).status).toBe(201);
  const refused = await ask();
  expectWait(refused);
  expect(await refused.json()).toMatchObject({ error: "temporarily_unavailable" });
  expect((await ask(newAddress())).status).toBe(201);
});

test("an account has fifty sessions at the most, and those that were used last", async () => {
  const { email } = await newPerson();
  const account = accountOf(email);
  await sql(`
    with made as (
      insert into identity.artifacts (kind, id_hash, payload, account_id, uid, expires_at)
      select 'Session', decode(md5(n::text), 'hex'), '{}', ${account}, 'old' || n, now() + n * interval '1 minute'
      from generate_series(1, 50) n returning uid, account_id
    )
    insert into identity.session_browsers (session_uid, account_id, user_agent) select uid, account_id, '' from made`);
  expect((await attempt(email, password)).status).toBe(200);
  const left = await sql(
    `select uid from identity.artifacts where kind = 'Session' and account_id = ${account}`,
  );
  const uids = left.map(({ uid }) => uid);
  expect([uids.length, uids.includes("old2"), uids.includes("old3")]).toEqual([50, false, true]);
  expect(await sql(`select from identity.session_browsers where account_id = ${account}`)).toHaveLength(50);
});

test("accounts take turns at hashing, so that the many of one delay nobody else", async () => {
  const [order, gates]: [string[], (() => void)[]] = [[], []];
  const hashFor = (email: string) =>
    turns.inHashingTurn(email, () => {
      order.push(email);
      return new Promise<void>((resolve) => gates.push(resolve));
    });
  const all = ["eve", "eve", "eve", "eve", "ada", "eve"].map(hashFor);
  for (let done = 0; done < 6; done++) {
    await Bun.sleep(0);
    gates[done]?.();
  }
  await Promise.all(all);
  // Before Ada's turn come those that already run, and the one that waited longest.
  expect(order.indexOf("ada")).toBe(turns.hashedAtOnce + 1);
});

test("after a right password its account rests three times as long as the check took", async () => {
  const began: number[] = [];
  const check = () =>
    turns.checkInTurn("eve", async () => {
      began.push(performance.now());
      await Bun.sleep(20);
      return true;
    });
  await Promise.all([check(), check(), check()]);
  const [first = 0, second = 0, third = 0] = began;
  expect(second - first).toBeGreaterThan(75);
  expect(third - second).toBeGreaterThan(75);
});

test("all addresses of an IPv6 network count as one, and no others do", () => {
  const own = ["2001:db8:1:2::1", "2001:db8:1:2:ffff:ffff:ffff:ffff", "2001:db8:1:2:3::"];
  expect(new Set(own.map(networkOf))).toEqual(new Set(["2001:db8:1:2"]));
  expect(networkOf("2001:db8::1:2:3")).toBe("2001:db8:0:0");
  expect(networkOf("::1")).toBe("0:0:0:0");
  for (const address of ["192.0.2.1", "::ffff:192.0.2.1"]) expect(networkOf(address)).toBe(address);
});
