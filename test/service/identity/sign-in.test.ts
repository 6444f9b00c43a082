import { afterAll, expect, test } from "bun:test";
import * as client from "openid-client";
import { Client } from "pg";
import { prune } from "../../../api/identity/chores.ts";
import { createBrowser } from "../../support/identity/browser.ts";
import { relyingParty, signInElsewhere } from "../../support/identity/relying-party.ts";
import {
  authorizationRequest,
  isSignedIn,
  password,
  registerApp,
  signedUp,
  signIn,
  startTestIdentity,
} from "../../support/identity/support.ts";
import { eventually } from "../../support/reminder/stack.ts";
import { withPool } from "../../support/signed.ts";

const identity = await startTestIdentity({ DEFAULT_TIME_ZONE: "Europe/Berlin" });
const { config, sql, owner } = identity;
afterAll(identity.stop);

const zoneIn = async (browser: Parameters<typeof signInElsewhere>[1]) =>
  (await signInElsewhere(config, browser)).claims?.zoneinfo;

/** Makes statements that need a lock wait while something else happens. */
async function whileHeld(lock: string, held: () => Promise<unknown>, act: () => Promise<unknown>) {
  const holder = new Client({ connectionString: config.databaseUrl });
  await holder.connect();
  await holder.query(`begin; ${lock}`);
  const waiting = held();
  const queued = "select from pg_locks where not granted and database is not null";
  await eventually(async () => (await sql(queued))[0]);
  await act();
  await holder.end();
  await waiting;
}

test("an app signs a person in by OpenID Connect, and its token does not open the service", async () => {
  const browser = await signedUp(config, "ada@example.org");
  const { claims, told, accessToken } = await signInElsewhere(config, browser);
  expect(claims).toMatchObject({ email: "ada@example.org", zoneinfo: "Europe/Berlin" });
  expect(told.email).toBe("ada@example.org");
  expect(await identity.introspect(accessToken)).toEqual({ active: false });
});

test("the owner's zone is that of the browser at the first sign-in, and of no later one", async () => {
  const zones: unknown[] = [];
  for (const browser_zone of ["", "Nowhere/Town", "Asia/Tokyo", "Europe/Paris"]) {
    const { browser } = await signIn(config, owner.email, owner.password, undefined, { browser_zone });
    zones.push(await zoneIn(browser));
  }
  expect(zones).toEqual([undefined, undefined, "Asia/Tokyo", "Asia/Tokyo"]);
});

test("once a person has chosen a zone in the settings, apps and pages are told that one", async () => {
  const browser = await signedUp(config);
  const { claims } = await signInElsewhere(config, browser);
  await sql(`insert into users (user_id, time_zone, zone_source, day_start_hour, created_at, updated_at)
    values ('${claims?.sub}', 'Pacific/Auckland', 'chosen', 0, now(), now())`);
  expect(await zoneIn(browser)).toBe("Pacific/Auckland");
  expect((await browser.open("/profile")).text).toContain("Pacific/Auckland");
});

test("signing out at the provider asks first, leads back to the app, and no text of an app spoils it", async () => {
  const party = await relyingParty(config);
  const browser = await signedUp(config);
  await browser.open("/session/end?state=%00");
  expect((await browser.open("/profile")).status).toBe(200);
  const address = client.buildEndSessionUrl(party, {
    client_id: party.clientMetadata().client_id,
    post_logout_redirect_uri: `${config.baseUrl}/account`,
  });
  const page = await browser.open(address.href);
  expect(page.text).toContain("Sign out?");
  const back = await browser.submit(page, page.forms[0]?.action ?? "", { logout: "yes" });
  expect(back.url).toBe(`${config.baseUrl}/sign-in?next=%2Faccount`);
  expect(await isSignedIn(browser)).toBe(false);
});

test("a session that ends while a request of it is under way does not come back with that request", async () => {
  const mine = await signedUp(config, "bea@example.org");
  const { browser: theirs } = await signIn(config, "bea@example.org");
  const params = { client_id: await registerApp(config), prompt: "none" };
  const { address } = authorizationRequest(config, params);
  const profile = await mine.open("/profile");
  const end = () => mine.submit(profile, "/profile/sessions/end-others", {});
  expect((await mine.submit(profile, "/profile/sessions/end", { uid: "\0" })).status).toBe(200);
  await whileHeld("lock table identity.clients", () => theirs.open(address), end);
  expect(await isSignedIn(theirs)).toBe(false);
  const [open] = await sql("select count(*)::int as rows from identity.outbox");
  expect([open?.rows, identity.news.at(-1)?.name]).toEqual([0, "user.end-sessions"]);
});

test("a sign-in with the old password that is under way while a new one is saved lets nobody in", async () => {
  const mine = await signedUp(config, "cleo@example.org");
  // A right password is taken from the count before the session begins.
  await sql(`
    create function wait() returns trigger language plpgsql as
      'begin perform pg_advisory_xact_lock(1); return new; end';
    create trigger wait before update on identity.throttle for each row
      when (new.points < old.points) execute function wait()`);
  const theirs = createBrowser(config.authUrl);
  const page = await theirs.open("/sign-in?next=/profile");
  const profile = await mine.open("/profile");
  await whileHeld(
    "select pg_advisory_xact_lock(1)",
    () => theirs.submit(page, "/sign-in", { email: "cleo@example.org", password }),
    () => mine.submit(profile, "/profile/password", { password, new_password: "another long one" }),
  );
  await sql("drop trigger wait on identity.throttle");
  expect([await isSignedIn(theirs), await isSignedIn(mine)]).toEqual([false, true]);
});

test("an expired session leaves nothing", async () => {
  await signedUp(config, "dina@example.org");
  const ofDina = "account_id = (select id from identity.accounts where email = 'dina@example.org')";
  await sql(`
    update identity.artifacts set expires_at = now() - interval '1 second' where kind = 'Session' and ${ofDina}`);
  await withPool(config, prune);
  expect(await sql(`select from identity.session_browsers where ${ofDina}`)).toEqual([]);
  expect(await sql("select from identity.session_browsers")).not.toEqual([]);
});
