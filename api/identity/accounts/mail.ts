import { createTransport } from "nodemailer";
import type { Config } from "../../../shared/process/config.ts";
import type { Log } from "../../../shared/process/log.ts";
import { html, markup } from "../../../shared/web/html.ts";

export type Mail = Readonly<{ to: string; subject: string; text: string; html: string }>;

/** Hands a mail to the SMTP server. False: it was not taken, and the log says why. */
export type SendMail = (mail: Mail) => Promise<boolean>;

/** Somebody waits for the page that sends the mail. */
const timeoutMs = 10_000;
const timeouts = { connectionTimeout: timeoutMs, greetingTimeout: timeoutMs, socketTimeout: timeoutMs };

/** Undefined: SMTP_URL is not set, so this server sends no mail. */
export function createMailer(
  { smtpUrl, mailFrom }: Pick<Config, "smtpUrl" | "mailFrom">,
  log: Log,
): SendMail | undefined {
  if (smtpUrl === undefined) return undefined;
  const transport = createTransport(
    { url: smtpUrl, ...timeouts, disableFileAccess: true, disableUrlAccess: true },
    // RFC 3834 §5: nobody's holiday notice should answer.
    { from: mailFrom, headers: { "Auto-Submitted": "auto-generated" } },
  );
  return async ({ to, ...mail }) => {
    try {
      // As an object, so that no part of what a person typed is read as a further recipient.
      await transport.sendMail({ ...mail, to: { name: "", address: to } });
      return true;
    } catch (error) {
      log.warn({ reason: String(error) }, "a mail could not be sent");
      return false;
    }
  };
}

type Letter = Readonly<{ to: string; subject: string; lines: readonly string[]; link: string; end?: string }>;

/** A mail of a few sentences with one link, in plain text and in HTML. */
export function mailOf({ to, subject, lines, link, end }: Letter): Mail {
  const rest = end === undefined ? [] : [end];
  return {
    to,
    subject,
    text: [...lines, link, ...rest].join("\n\n"),
    html: markup(html`<!doctype html>
<html lang="en">
<body>
${lines.map((line) => html`<p>${line}</p>\n`)}<p><a href="${link}">${link}</a></p>
${rest.map((line) => html`<p>${line}</p>\n`)}</body>
</html>
`),
  };
}
