import { expect, test } from "bun:test";
import {
  type AnswerParts,
  challengeIn,
  createAuthenticator,
  partsIn,
} from "../../support/identity/authenticator.ts";
import { type Browser, createBrowser, type Page } from "../../support/identity/browser.ts";
import { changePassword, password, signedUp, useIdentity } from "../../support/identity/support.ts";

const { config, sql } = await useIdentity();
const newBrowser = () => createBrowser(config.authUrl);
const partsFor = (page: Page) => partsIn(page, config.authUrl);

const challengePage = async (browser: Browser) =>
  browser.submit(await browser.open("/profile"), "/profile/passkeys", {});

const addKey = (browser: Browser, page: Page, credential: string, name = "Test key") =>
  browser.submit(page, "/profile/passkeys/create", { credential, name });

/** A person with one passkey. */
async function personWithPasskey() {
  const browser = await signedUp(config);
  const authenticator = await createAuthenticator();
  const page = await challengePage(browser);
  const parts = partsFor(page);
  const done = await addKey(browser, page, await authenticator.create({ ...parts, counter: 1 }));
  expect(done.text).toContain("Your passkey is added.");
  return { browser, authenticator, userHandle: parts.userHandle ?? "" };
}

type Person = Awaited<ReturnType<typeof personWithPasskey>>;

/** Tries the person's passkey in a browser in which nobody is signed in. */
async function signIn({ authenticator, userHandle }: Person, changes: Partial<AnswerParts> = {}) {
  const browser = newBrowser();
  const page = await browser.open("/sign-in?next=/profile");
  const credential = await authenticator.get({ ...partsFor(page), userHandle, counter: 2, ...changes });
  const answer = await browser.submit(page, "/sign-in/passkey", { credential });
  return { answer, page, credential, browser };
}

test("a passkey signs in, and is listed with its use", async () => {
  const person = await personWithPasskey();
  expect((await person.browser.open("/profile")).text).toContain("Never");
  const { answer } = await signIn(person);
  expect(answer).toMatchObject({ status: 200, url: `${config.authUrl}/profile` });
  expect((await person.browser.open("/profile")).text).not.toContain("Never");
});

test("an answer counts with its own challenge, origin, person, purpose and proof only", async () => {
  const person = await personWithPasskey();
  const wrong: Partial<AnswerParts>[] = [
    { challenge: challengeIn(await newBrowser().open("/sign-in")).challenge },
    { challenge: Buffer.from("made up").toString("base64url") },
    { origin: "https://evil.example" },
    { origin: "http://localhost:1" },
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
  const { page, credential, browser } = await signIn(await personWithPasskey(), { counter: 5 });
  await browser.submit(await browser.open("/profile"), "/account/sign-out", {});
  await sql("update identity.passkeys set counter = 1");
  expect((await browser.submit(page, "/sign-in/passkey", { credential })).status).toBe(422);
  const unsigned = credential.replace(/"signature":"[^"]+"/, '"signature":"AA"');
  for (const text of ["", "{}", "null", "[1]", '{"id":1}', unsigned]) {
    const fresh = newBrowser();
    const form = await fresh.open("/sign-in");
    expect((await fresh.submit(form, "/sign-in/passkey", { credential: text })).status).toBe(422);
  }
});

test("adding one takes its own challenge and no certificate", async () => {
  const browser = await signedUp(config);
  const authenticator = await createAuthenticator();
  const page = await challengePage(browser);
  const parts = partsFor(page);
  const certified = { fmt: "packed", attStmt: new Map<string, unknown>([["x5c", [new Uint8Array(8)]]]) };
  const { challenge } = challengeIn(await newBrowser().open("/sign-in"));
  const refused = [await authenticator.create(parts, certified), "nonsense"];
  for (const wrong of [{ challenge }, { origin: "https://evil.example" }, { isVerified: false }])
    refused.push(await authenticator.create({ ...parts, ...wrong }));
  for (const credential of refused) expect((await addKey(browser, page, credential)).status).toBe(422);
  const credential = await authenticator.create(parts);
  for (const name of ["a\0b", " ", "n".repeat(101)])
    expect((await addKey(browser, page, credential, name)).status).toBe(422);
  expect((await addKey(browser, page, credential, "<b>Key</b>")).text).toContain("&lt;b&gt;Key");
  expect((await addKey(browser, page, credential, "<b>Key</b>")).status).toBe(422);
});

test("an account has at most twenty, also when they are added at the same moment", async () => {
  const { browser } = await personWithPasskey();
  const added = await Promise.all(
    [1, 2, 3, 4].map(async () => {
      const page = await challengePage(browser);
      return { page, credential: await (await createAuthenticator()).create(partsFor(page)) };
    }),
  );
  await sql(`
    insert into identity.passkeys (credential_id, account_id, public_key, counter, name)
    select gen_random_uuid()::text, account_id, '', 0, 'Key' from generate_series(2, 18),
      (select account_id from identity.passkeys order by created_at desc limit 1) newest`);
  const answers = await Promise.all(added.map(({ page, credential }) => addKey(browser, page, credential)));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 422, 422]);
});

test("a removed passkey opens nothing, and nobody removes somebody else's", async () => {
  const [person, other] = [await personWithPasskey(), await personWithPasskey()];
  const remove = async ({ browser }: Person, id: string) =>
    browser.submit(await browser.open("/profile"), "/profile/passkeys/remove", { id });
  await remove(other, person.authenticator.id);
  expect((await signIn(person)).answer.status).toBe(200);
  expect((await remove(person, "\0")).status).toBe(200);
  await remove(person, person.authenticator.id);
  expect((await signIn(person, { counter: 9 })).answer.status).toBe(422);
});

test("a new password can end the passkeys too", async () => {
  const person = await personWithPasskey();
  await changePassword(person.browser, { new_password: password });
  expect((await signIn(person)).answer.status).toBe(200);
  await changePassword(person.browser, { new_password: password, connections: "end" });
  expect((await signIn(person, { counter: 9 })).answer.status).toBe(422);
});
