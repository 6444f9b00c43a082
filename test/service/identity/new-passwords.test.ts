import { expect, test } from "bun:test";
import { createBrowser, type Page } from "../../support/identity/browser.ts";
import { newestLink, signedUpByMail } from "../../support/identity/support.ts";
import { startIdentityWithMail } from "../../support/identity/with-mail.ts";
import { eventually } from "../../support/reminder/stack.ts";

const { mailbox, identity } = await startIdentityWithMail();

const email = "ada.lovelace@example.org";
const refusals = {
  qwertyuiop: "Many people use this password",
  Password123: "Many people use this password",
  [email]: "Your address and the name of this server are guessed first",
  "kept-kept-kept": "Your address and the name of this server are guessed first",
  "too short": "Use at least 10 characters",
};

/** Sends each refused password, then looks for its reason and the next step. */
async function expectRefusals(send: (password: string) => Promise<Page>): Promise<void> {
  for (const [password, reason] of Object.entries(refusals)) {
    const { status, text } = await send(password);
    expect([password, status]).toEqual([password, 422]);
    expect(text).toContain(reason);
    if (!reason.includes("10"))
      expect(text).toContain("Take a few words in a row that nobody connects with you.");
  }
}

test("a guessable password is refused with the next step, wherever a password is chosen, and the old one stays", async () => {
  const stranger = createBrowser(identity.config.authUrl);
  const signUp = await stranger.open("/sign-up");
  await expectRefusals((password) => stranger.submit(signUp, "/sign-up", { email, password }));
  expect(mailbox.mails).toEqual([]);

  const browser = await signedUpByMail(identity.config, mailbox, email);
  const hashes = () => identity.sql("select password_hash from identity.accounts order by email");
  const before = await hashes();
  const profile = await browser.open("/profile");
  const password = "correct horse battery";
  await expectRefusals((new_password) =>
    browser.submit(profile, "/profile/password", { password, new_password }),
  );

  await stranger.submit(await stranger.open("/forgot-password"), "/forgot-password", { email });
  await eventually(async () => newestLink(mailbox, email).includes("/reset-password"));
  const reset = await stranger.open(newestLink(mailbox, email));
  await expectRefusals((chosen) => stranger.submit(reset, "/reset-password", { password: chosen }));
  expect(await hashes()).toEqual(before);
});
