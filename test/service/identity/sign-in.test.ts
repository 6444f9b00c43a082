import { afterAll, beforeAll, expect, test } from "bun:test";
import * as client from "openid-client";
import { Client, Pool } from "pg";
import { prune } from "../../../api/identity/prune.ts";
import { migrate } from "../../../workers/upkeep/migrate.ts";
import { createBrowser } from "../../support/identity/browser.ts";
import { relyingParty, signInToService } from "../../support/identity/relying-party.ts";
import {
  authorizationRequest,
  registerApp,
  signedUp,
  startTestIdentity,
  type TestIdentity,
} from "../../support/identity/support.ts";

const password = "correct horse battery";

let identity: TestIdentity;
beforeAll(async () => {
  identity = await startTestIdentity({ DEFAULT_TIME_ZONE: "Europe/Berlin" });
});
afterAll(() => identity.stop());

/** Makes statements that need a lock wait while something else happens. */
async function whileHeld(lock: string, held: () => Promise<unknown>, act: () => Promise<unknown>) {
  const holder = new Client({ connectionString: identity.config.databaseUrl });
  await holder.connect();
  await holder.query(`begin; ${lock}`);
  const waiting = held();
  const isWaiting = async () =>
    (await identity.sql("select from pg_locks where not granted and database is not null")).length > 0;
  for (let looks = 0; looks < 100 && !(await isWaiting()); looks++) await Bun.sleep(5);
  await act();
  await holder.end();
  await waiting;
}

async function inAnotherBrowser(email: string) {
  const browser = createBrowser(identity.config.authUrl);
  await browser.submit(await browser.open("/sign-in?next=/profile"), "/sign-in", { email, password });
  return browser;
}

test("the service signs a person in by OpenID Connect without asking for consent", async () => {
  const browser = await signedUp(identity.config, "ada@example.org");
  const { claims, told, accessToken } = await signInToService(identity.config, browser);
  expect(claims).toMatchObject({ email: "ada@example.org", zoneinfo: "Europe/Berlin" });
  expect(told.email).toBe("ada@example.org");
  expect(await identity.introspect(accessToken)).toEqual({ active: false });
});

test("the service's own sign-in is not listed as a connected app", async () => {
  const browser = await signedUp(identity.config);
  expect((await browser.open("/profile/api-tokens")).text).toContain("No app is connected");
});

test("signing out at the provider asks first and leads back to the service", async () => {
  const party = await relyingParty(identity.config);
  const browser = await signedUp(identity.config);
  const address = client.buildEndSessionUrl(party, {
    client_id: party.clientMetadata().client_id,
    post_logout_redirect_uri: `${identity.config.baseUrl}/account`,
  });
  const page = await browser.open(address.href);
  expect(page.text).toContain("Sign out?");
  const action = page.forms[0]?.action ?? "";
  const back = await browser.submit(page, action, { logout: "yes" });
  expect(back.url).toStartWith(`${identity.config.baseUrl}/account`);
  expect((await browser.open("/profile")).url).toContain("/sign-in");
});

test("a session that ends while a request of it is under way does not come back with that request", async () => {
  const mine = await signedUp(identity.config, "bea@example.org");
  const theirs = await inAnotherBrowser("bea@example.org");
  const params = { client_id: await registerApp(identity.config), prompt: "none" };
  const { address } = authorizationRequest(identity.config, params);
  const profile = await mine.open("/profile");
  const end = () => mine.submit(profile, "/profile/sessions/end-others", {});
  expect((await mine.submit(profile, "/profile/sessions/end", { uid: "\0" })).status).toBe(200);
  await whileHeld("lock table identity.clients", () => theirs.open(address), end);
  expect((await theirs.open("/profile")).url).toContain("/sign-in");
  const [open] = await identity.sql("select count(*)::int as rows from identity.outbox");
  expect([open?.rows, identity.news.at(-1)?.name]).toEqual([0, "user.end-sessions"]);
});

test("a sign-in with the old password that is under way while a new one is saved lets nobody in", async () => {
  const mine = await signedUp(identity.config, "cleo@example.org");
  // A right password is taken from the count before the session begins.
  await identity.sql(`
    create function wait() returns trigger language plpgsql as
      'begin perform pg_advisory_xact_lock(1); return new; end';
    create trigger wait before update on identity.throttle for each row
      when (new.points < old.points) execute function wait()`);
  const theirs = createBrowser(identity.config.authUrl);
  const page = await theirs.open("/sign-in?next=/profile");
  const profile = await mine.open("/profile");
  await whileHeld(
    "select pg_advisory_xact_lock(1)",
    () => theirs.submit(page, "/sign-in", { email: "cleo@example.org", password }),
    () => mine.submit(profile, "/profile/password", { password, new_password: "another long one" }),
  );
  await identity.sql("drop trigger wait on identity.throttle");
  expect((await theirs.open("/profile")).url).toContain("/sign-in");
  expect((await mine.open("/profile")).url).toEndWith("/profile");
});

test("what an app asks for at a sign-out spoils no page, whatever is in it", async () => {
  const browser = await signedUp(identity.config);
  await browser.open("/session/end?state=%00");
  expect((await browser.open("/profile")).status).toBe(200);
});

test("sessions of a release that noted no browsers go on after the migration, and an expired one leaves nothing", async () => {
  const { databaseUrl } = identity.config;
  const browser = await signedUp(identity.config, "dina@example.org");
  await identity.sql(`
    delete from identity.session_browsers;
    delete from mikro_orm_migrations where name = '20261209-session-browsers'`);
  await migrate(databaseUrl, "error");
  expect((await browser.open("/profile")).text).toContain("Unknown browser");
  const ofDina = "account_id = (select id from identity.accounts where email = 'dina@example.org')";
  await identity.sql(`
    update identity.artifacts set expires_at = now() - interval '1 second' where kind = 'Session' and ${ofDina}`);
  const pool = new Pool({ connectionString: databaseUrl });
  await prune(pool);
  await pool.end();
  expect(await identity.sql(`select from identity.session_browsers where ${ofDina}`)).toEqual([]);
  expect(await identity.sql("select from identity.session_browsers")).not.toEqual([]);
});
