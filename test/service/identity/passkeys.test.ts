import { afterAll, beforeAll, expect, test } from "bun:test";
import { type AnswerParts, createAuthenticator } from "../../support/identity/authenticator.ts";
import { type Browser, createBrowser, type Page } from "../../support/identity/browser.ts";
import { signedUp, startTestIdentity, type TestIdentity } from "../../support/identity/support.ts";

const password = "correct horse battery";

let identity: TestIdentity;
beforeAll(async () => {
  identity = await startTestIdentity();
});
afterAll(() => identity.stop());

type Options = { challenge: string; user?: { id: string } };

/** The options that a page gives the browser's authenticator. */
function optionsIn({ text }: Page): Options {
  const encoded = /data-options="([^"]*)"/.exec(text)?.[1] ?? "{}";
  return JSON.parse(encoded.replaceAll("&quot;", '"').replaceAll("&amp;", "&")) as Options;
}

const partsFor = (page: Page): AnswerParts => {
  const { challenge, user } = optionsIn(page);
  return { challenge, origin: identity.config.authUrl, rpId: "localhost", userHandle: user?.id ?? "" };
};

async function challengePage(browser: Browser): Promise<Page> {
  return browser.submit(await browser.open("/profile"), "/profile/passkeys", {});
}

/** A person with one passkey. */
async function personWithPasskey() {
  const browser = await signedUp(identity.config);
  const authenticator = await createAuthenticator();
  const page = await challengePage(browser);
  const parts = partsFor(page);
  const credential = await authenticator.create({ ...parts, counter: 1 });
  const done = await browser.submit(page, "/profile/passkeys/create", { credential, name: "Test key" });
  expect(done.text).toContain("Your passkey is added.");
  return { browser, authenticator, userHandle: parts.userHandle ?? "" };
}

type Person = Awaited<ReturnType<typeof personWithPasskey>>;

/** Tries the person's passkey in a browser in which nobody is signed in. */
async function signIn(
  { authenticator, userHandle }: Person,
  changes: Partial<AnswerParts> = {},
  browser = createBrowser(identity.config.authUrl),
) {
  const page = await browser.open("/sign-in?next=/profile");
  const parts = { ...partsFor(page), userHandle, counter: 2, ...changes };
  const credential = await authenticator.get(parts);
  const answer = await browser.submit(page, "/sign-in/passkey", { credential });
  return { answer, page, credential, browser };
}

test("a passkey signs in, and is listed with its use", async () => {
  const person = await personWithPasskey();
  expect((await person.browser.open("/profile")).text).toContain("Never");
  const { answer } = await signIn(person);
  expect(answer).toMatchObject({ status: 200, url: `${identity.config.authUrl}/profile` });
  expect((await person.browser.open("/profile")).text).not.toContain("Never");
});

test("an answer counts with its own challenge, origin, person, purpose and proof only", async () => {
  const person = await personWithPasskey();
  const stranger = await createBrowser(identity.config.authUrl).open("/sign-in");
  const wrong: Partial<AnswerParts>[] = [
    { challenge: optionsIn(stranger).challenge },
    { challenge: Buffer.from("made up").toString("base64url") },
    { origin: "https://evil.example" },
    { origin: identity.config.baseUrl },
    { rpId: "evil.example" },
    { isVerified: false },
    { userHandle: Buffer.from("somebody else").toString("base64url") },
    { counter: 1 },
    { type: "webauthn.create" },
  ];
  for (const changes of wrong) expect((await signIn(person, changes)).answer.status).toBe(422);
  expect((await signIn(person)).answer.status).toBe(200);
});

test("a challenge is answered once, and no strange text makes a fault", async () => {
  const person = await personWithPasskey();
  const used = await signIn(person, { counter: 5 });
  await used.browser.submit(await used.browser.open("/profile"), "/sign-out", {});
  await identity.sql("update identity.passkeys set counter = 1");
  const { page, credential, browser } = used;
  expect((await browser.submit(page, "/sign-in/passkey", { credential })).status).toBe(422);
  const odd = [
    "",
    "{}",
    "null",
    "[1]",
    '{"id":1}',
    credential.replace(/"signature":"[^"]+"/, '"signature":"AA"'),
  ];
  for (const text of odd) {
    const fresh = createBrowser(identity.config.authUrl);
    const form = await fresh.open("/sign-in");
    expect((await fresh.submit(form, "/sign-in/passkey", { credential: text })).status).toBe(422);
  }
});

test("adding one takes its own challenge and no certificate", async () => {
  const browser = await signedUp(identity.config);
  const authenticator = await createAuthenticator();
  const page = await challengePage(browser);
  const parts = partsFor(page);
  const certified = { fmt: "packed", attStmt: new Map<string, unknown>([["x5c", [new Uint8Array(8)]]]) };
  const signInPage = await createBrowser(identity.config.authUrl).open("/sign-in");
  const refused = [
    await authenticator.create({ ...parts, challenge: optionsIn(signInPage).challenge }),
    await authenticator.create({ ...parts, origin: "https://evil.example" }),
    await authenticator.create({ ...parts, isVerified: false }),
    await authenticator.create(parts, certified),
    "nonsense",
  ];
  for (const credential of refused) {
    const answer = await browser.submit(page, "/profile/passkeys/create", { credential, name: "Key" });
    expect(answer.status).toBe(422);
  }
  const credential = await authenticator.create(parts);
  const create = (name: string) => browser.submit(page, "/profile/passkeys/create", { credential, name });
  for (const name of ["a\0b", " ", "n".repeat(101)]) expect((await create(name)).status).toBe(422);
  expect((await create("<b>Key</b>")).text).toContain("&lt;b&gt;Key");
  expect((await create("<b>Key</b>")).status).toBe(422);
});

test("an account has at most twenty, also when they are added at the same moment", async () => {
  const { browser } = await personWithPasskey();
  const added = await Promise.all(
    [1, 2, 3, 4].map(async () => ({
      page: await challengePage(browser),
      authenticator: await createAuthenticator(),
    })),
  );
  await identity.sql(`
    insert into identity.passkeys (credential_id, account_id, public_key, counter, name)
    select 'key' || n, (select account_id from identity.passkeys order by created_at desc limit 1), '', 0, 'Key'
    from generate_series(2, 18) n`);
  const credentials = await Promise.all(
    added.map(({ page, authenticator }) => authenticator.create(partsFor(page))),
  );
  const answers = await Promise.all(
    added.map(({ page }, n) =>
      browser.submit(page, "/profile/passkeys/create", { credential: credentials[n] ?? "", name: "Key" }),
    ),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 422, 422]);
});

test("a removed passkey opens nothing, and nobody removes somebody else's", async () => {
  const [person, other] = [await personWithPasskey(), await personWithPasskey()];
  const id = person.authenticator.id;
  const theirs = await other.browser.open("/profile");
  await other.browser.submit(theirs, "/profile/passkeys/remove", { id });
  expect((await signIn(person)).answer.status).toBe(200);
  const mine = await person.browser.open("/profile");
  expect((await person.browser.submit(mine, "/profile/passkeys/remove", { id: "\0" })).status).toBe(200);
  await person.browser.submit(mine, "/profile/passkeys/remove", { id });
  expect((await signIn(person, { counter: 9 })).answer.status).toBe(422);
});

test("a new password can end the passkeys too", async () => {
  const person = await personWithPasskey();
  const change = async (more: Record<string, string>) =>
    person.browser.submit(await person.browser.open("/profile"), "/profile/password", {
      password,
      new_password: password,
      ...more,
    });
  await change({});
  expect((await signIn(person)).answer.status).toBe(200);
  await change({ connections: "end" });
  expect((await signIn(person, { counter: 9 })).answer.status).toBe(422);
});
