import { expect, test } from "bun:test";
import { createEmailChannel } from "../../../../workers/reminder/channels/email.ts";
import { headersOf, partsOf, useMailbox } from "../../../support/reminder/mailbox.ts";
import { behavesAsChannel, closedAfter, delivery, sendBy, todoOf } from "./suite.ts";

const mailbox = await useMailbox();
const settings = {
  smtpUrl: mailbox.url,
  mailFrom: "Kept <kept@kept.example>",
  baseUrl: "https://kept.example",
};
const channel = closedAfter(await createEmailChannel(settings));
const nobody = closedAfter(await createEmailChannel({ ...settings, smtpUrl: "smtp://127.0.0.1:9" }));

const toAda = (fields: Parameters<typeof delivery>[0] = {}) =>
  delivery({ email: "ada@example.com", ...fields });

behavesAsChannel("email", {
  channel,
  target: { channel: "email", email: "ada@example.com" },
  unset: { channel: "email", email: null },
  seen: () =>
    mailbox.mails.map((mail) => ({
      id: headersOf(mail)["message-id"]?.slice(1).split("@")[0] ?? "",
      text: partsOf(mail)[0] ?? "",
      late: mail.source.includes("This reminder is late"),
    })),
});

test("a mail has text and escaped HTML, and says how to get no more of them", async () => {
  const title = "<script>alert(1)</script>";
  const todo = todoOf({ title, description: "a & b\nc", due_date: "2026-11-20" });
  await sendBy(channel, toAda({ todo }));
  const mail = mailbox.mails.at(-1);
  if (!mail) throw new Error("No mail came.");
  expect(mail.to).toEqual(["ada@example.com"]);
  expect(headersOf(mail)).toMatchObject({
    from: "Kept <kept@kept.example>",
    to: "ada@example.com",
    subject: "Reminder: <script>alert(1)</script>",
    "list-unsubscribe": "<https://kept.example/account/settings>",
    "auto-submitted": "auto-generated",
  });
  const [text, html] = partsOf(mail);
  expect(text).toContain("a & b\r\nc\r\n\r\nWas due on Fri 20 Nov\r\nReminder set for Sat 21 Nov 09:00");
  expect(text).toMatch(/Done: https:\/\/kept.example\/remind\/\S+\r\nIn an hour: .+\r\nTomorrow: /);
  const locale = "en-US-u-fw-sun-hc-h12";
  await sendBy(channel, toAda({ locale }));
  const [inUs] = partsOf(mailbox.mails.at(-1) ?? mail);
  expect(inUs).toContain("Was due on Sun Nov 22 at 2:30 PM\r\nReminder set for Sat Nov 21 9:00 AM");
  expect(html).toContain("<h1>&lt;script&gt;alert(1)&lt;/script&gt;</h1>");
  expect(html).toContain("<p>a &amp; b</p><p>c</p>");
  expect(html).toMatch(/<a href="https:\/\/kept.example\/remind\/[\w.-]+">Tomorrow<\/a>/);
});

const refusals = [
  ["sender", "553 Not an address of yours", false],
  ["sender", "530 Authentication required", false],
  ["recipient", "554 5.7.1 Relay access denied", false],
  ["recipient", "550 5.1.8 Sender address rejected", false],
  ["recipient", "550 5.1.1 User unknown", true],
  ["recipient", "550 No such mailbox", true],
  ["data", "451 Try again later", false],
  ["data", "550 5.4.5 Daily sending quota exceeded", false],
  ["data", "552 Mailbox full", false],
  ["data", "554 Transaction failed", true],
] as const;

test.each(refusals)("what the server says of the %s, %s, ends a reminder: %p", async (step, reply, final) => {
  mailbox.refusals[step] = reply;
  expect(await sendBy(channel, toAda())).toMatchObject({ ok: false, final });
  delete mailbox.refusals[step];
});

test("a mail server that is down is tried again; one that is not set up is not", async () => {
  const reason = "The mail server could not be reached.";
  expect(await sendBy(nobody, toAda())).toMatchObject({ ok: false, final: false, reason });
  const unset = await createEmailChannel({ ...settings, smtpUrl: undefined });
  expect(await sendBy(unset, toAda())).toMatchObject({ ok: false, final: true });
});
