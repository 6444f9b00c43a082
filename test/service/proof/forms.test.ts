import { expect, test } from "bun:test";
import { type Browser, createBrowser, type Page } from "../../support/identity/browser.ts";
import { ageProofs } from "../../support/identity/proofs.ts";
import {
  authorizationRequest,
  consent,
  registerApp,
  signedUp,
  useIdentity,
} from "../../support/identity/support.ts";

const identity = await useIdentity();

const password = "correct horse battery";
const tokens = "/profile/api-tokens";
const lasting = { name: "Laptop", preset: "read", days: "365" };

const asks = ({ text, forms }: Page) =>
  text.includes("Is it you?") && forms.some(({ fields }) => fields.some(([name]) => name === "password"));

const tokenIn = ({ text }: Page): string | undefined => /class="secret">([^<]+)</.exec(text)?.[1];

const newEmail = () => `${crypto.randomUUID()}@example.org`;

/** A person whose sign-in is eleven minutes old. */
async function personOf(email = newEmail()): Promise<Browser> {
  const browser = await signedUp(identity.config, email);
  await ageProofs(identity);
  return browser;
}

const prove = (browser: Browser, page: Page, action: string, secret = password) =>
  browser.submit(page, action, { password: secret });

test.each([
  ["another address", "/profile", "/profile/email", { email: newEmail() }, "Your e-mail address is changed"],
  ["a passkey", "/profile", "/profile/passkeys", {}, "Make the passkey"],
  ["the account's end", "/profile", "/profile/delete", {}, "Account deleted"],
  ["a token of a year", tokens, tokens, lasting, "Copy the token now"],
  ["a token of a week", tokens, tokens, { ...lasting, days: "7" }, "Copy the token now"],
])("%s takes the password first, and then what was asked is done", async (_, from, action, form, done) => {
  const browser = await personOf();
  const asked = await browser.submit(await browser.open(from), action, form);
  expect([asked.status, asks(asked)]).toEqual([403, true]);
  const wrong = await prove(browser, asked, action, "not mine");
  expect([wrong.status, asks(wrong)]).toEqual([422, true]);
  expect(wrong.text).toContain("That is not your password.");
  expect((await prove(browser, wrong, action)).text).toContain(done);
});

test("a passkey is removed, and a token gets a new secret, only with proof", async () => {
  const browser = await signedUp(identity.config);
  const made = await browser.submit(await browser.open(tokens), tokens, { ...lasting, days: "30" });
  const id = String((await identity.introspect(tokenIn(made) ?? "")).jti);
  await identity.sql(`insert into identity.passkeys (credential_id, account_id, public_key, counter, name)
    select 'key', account_id, '', 0, 'My key' from identity.grants where id = '${id}'`);
  await ageProofs(identity);
  const profile = await browser.open("/profile");
  const asked = await browser.submit(profile, "/profile/passkeys/remove", { id: "key" });
  expect(asks(asked)).toBe(true);
  expect((await browser.open("/profile")).text).toContain("My key");
  const change = await browser.open(`${tokens}/change?id=${id}`);
  expect(asks(await browser.submit(change, `${tokens}/rotate`, { grace: "0" }))).toBe(true);
  expect((await prove(browser, asked, "/profile/passkeys/remove")).text).not.toContain("My key");
  // The proof counts for ten minutes, whatever it was given for.
  expect(tokenIn(await browser.submit(change, `${tokens}/rotate`, { grace: "0" }))).toStartWith("kept_");
});

test("proof counts in its own session, and a sign-in is one", async () => {
  const [here, email] = [createBrowser(identity.config.authUrl), newEmail()];
  const there = await personOf(email);
  await here.submit(await here.open("/sign-in?next=/profile"), "/sign-in", { email, password });
  expect(tokenIn(await here.submit(await here.open(tokens), tokens, lasting))).toStartWith("kept_");
  const form = await there.open(tokens);
  expect(asks(await there.submit(form, tokens, lasting))).toBe(true);
});

test("an app is connected only with proof, while a refusal takes none", async () => {
  const browser = await personOf();
  const clientId = await registerApp(identity.config);
  const { address } = authorizationRequest(identity.config, { client_id: clientId, scope: "todos:read" });
  const no = await browser.open(address);
  const refused = await browser.submit(no, new URL(no.url).pathname, { answer: "deny" });
  expect(refused.url).toContain("error=access_denied");
  const shown = await browser.open(address);
  const asked = await consent(browser, shown);
  expect(asks(asked)).toBe(true);
  expect(asked.headers.get("content-security-policy")).toContain("form-action 'self' http://127.0.0.1");
  expect((await prove(browser, asked, new URL(shown.url).pathname)).url).toContain("code=");
});

test("guessing the password at the page is throttled, also with the right one in the end", async () => {
  const browser = await personOf();
  let page = await browser.submit(await browser.open(tokens), tokens, lasting);
  for (let n = 0; n < 10; n++) page = await prove(browser, page, tokens, `guess ${n}`);
  page = await prove(browser, page, tokens);
  expect(page.text).toContain("Too many attempts.");
  expect(tokenIn(page)).toBeUndefined();
});
