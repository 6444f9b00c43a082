import { expect, test } from "bun:test";
import type { Page } from "../../support/identity/browser.ts";
import { ageProofs } from "../../support/identity/proofs.ts";
import { textOf } from "../../support/pages/plain.ts";
import { signedUpPerson, useSite } from "../../support/pages/support.ts";

const site = await useSite();
const { baseUrl } = site.stack.config;

/** A person whose sign-in is eleven minutes old. */
async function newPerson() {
  const { browser: account, email } = await signedUpPerson(site);
  await ageProofs(site.identity);
  const [{ id } = {}] = await site.identity.sql(`select id from identity.accounts where email = '${email}'`);
  return {
    account,
    webhooks: () => site.identity.sql(`select url from webhooks where user_id = '${id}'`),
    target: async () =>
      (await site.identity.sql(`select webhook_url from users where user_id = '${id}'`))[0]?.webhook_url,
    /** Enters the password where the answer to a form or link leads. */
    async prove(asked: Page): Promise<Page> {
      expect(asked.url).toContain("/sign-in");
      return account.submit(asked, "/sign-in", { email, password: "correct horse battery" });
    },
  };
}

test("a webhook's address takes a proof of the last ten minutes, and then what was asked is done", async () => {
  const { account, prove, webhooks, target } = await newPerson();
  const hook = { url: "http://127.0.0.1:9/hook", events: "todo.*" };
  const asked = await account.submit(await account.open("/account/webhooks"), "/account/webhooks", hook);
  expect(await webhooks()).toEqual([]);
  const proven = await prove(asked);
  expect(textOf(proven)).toContain(hook.url);
  expect(await webhooks()).toEqual([]);
  const made = await account.submit(proven, "/account/webhooks", {});
  expect(textOf(made)).toContain("whsec_");
  expect(await webhooks()).toEqual([{ url: hook.url }]);

  // The proof counts for the next form too.
  const webhook_url = "http://127.0.0.1:9/reminders";
  const settings = await account.open("/account/settings");
  const saved = await account.submit(settings, "/account/settings/webhook", { webhook_url });
  expect(saved.url).toStartWith(`${baseUrl}/account/settings`);
  expect(await target()).toBe(webhook_url);
});

test("an export takes a proof too, and then begins from a page", async () => {
  const { account, prove } = await newPerson();
  const began = await prove(await account.open("/account/data/export?format=json"));
  expect(textOf(began)).toContain("Your download begins.");
  const [, address = ""] = /url=(.+)/.exec(began.headers.get("refresh") ?? "") ?? [];
  const file = await account.open(address);
  expect(file.headers.get("content-disposition")).toMatch(/filename="kept-.*\.json"/);
});
