import { expect, test } from "bun:test";
import { createBrowser } from "../../support/identity/browser.ts";
import { signedUp, tokenByForm } from "../../support/identity/support.ts";
import { useSite } from "../../support/pages/support.ts";
import { startReceiver } from "../../support/reminder/receiver.ts";
import { eventually } from "../../support/reminder/stack.ts";

const site = await useSite();
const { authUrl } = site.stack.config;
const { config, sql } = site.identity;
let secret = "";
const receiver = startReceiver(() => secret);

test("where no mail is sent, the person is told by the channel of reminders, and its link ends the token", async () => {
  const email = "ada@channel.example";
  const account = await signedUp(config, email);
  const [{ id } = {}] = await sql(`select id from identity.accounts where email = '${email}'`);
  const settings = "/account/settings";
  await account.submit(await account.open(settings), `${settings}/webhook`, { webhook_url: receiver.url });
  await account.submit(await account.open(settings), `${settings}/reminders`, {
    reminder_channel: "webhook",
  });
  const [user] = await sql(`select webhook_secret from users where user_id = '${id}'`);
  secret = String(user?.webhook_secret);
  const token = await tokenByForm(account, "Script");
  const said = "The token “Script” was made";
  const toldOfToken = () => receiver.received.filter(({ event: { data } }) => data.notes.includes(said));
  const { event } = await eventually(() => toldOfToken()[0]);
  expect(event).toMatchObject({ type: "account.changed", data: { actions: [] } });
  // The same message can tell of the new channel, and then has a link for each.
  const [, after = ""] = `${event.data.notes}\n${event.data.link}`.split(said);
  const link = after.split(/\s/).find((word) => word.startsWith(`${authUrl}/not-me?token=`)) ?? "";
  const stranger = createBrowser(authUrl);
  await stranger.submit(await stranger.open(link), "/not-me", {});
  expect(await site.identity.introspect(token)).toMatchObject({ active: false });
  const waiting = `account_id = '${id}' and sent_at is null`;
  expect(await sql(`select from identity.notices where ${waiting}`)).toEqual([]);
  expect(toldOfToken()).toHaveLength(1);
});
