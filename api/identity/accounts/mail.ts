import { createTransport } from "nodemailer";
import type { Config } from "../../../shared/process/config.ts";
import type { Log } from "../../../shared/process/log.ts";
import { html, markup } from "../../../shared/web/html.ts";

export type Mail = Readonly<{ to: string; subject: string; text: string; html: string }>;

/** Hands a mail to the SMTP server. Resolves to false when it was not accepted; the log has the reason. */
export type SendMail = (mail: Mail) => Promise<boolean>;

/** Short, because a person waits for the page that sends the mail. */
const timeoutMs = 10_000;
const timeouts = { connectionTimeout: timeoutMs, greetingTimeout: timeoutMs, socketTimeout: timeoutMs };

/** @returns undefined when SMTP_URL is not set, so that this server sends no mail */
export function createMailer(
  { smtpUrl, mailFrom }: Pick<Config, "smtpUrl" | "mailFrom">,
  log: Log,
): SendMail | undefined {
  if (smtpUrl === undefined) return undefined;
  const transport = createTransport(
    { url: smtpUrl, ...timeouts, disableFileAccess: true, disableUrlAccess: true },
    // Keeps out-of-office replies from answering (RFC 3834 §5).
    { from: mailFrom, headers: { "Auto-Submitted": "auto-generated" } },
  );
  return async ({ to, ...mail }) => {
    try {
      // As an object, so that nothing a person typed is read as a further recipient.
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
