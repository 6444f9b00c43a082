import { html, markup } from "../../../shared/html.ts";
import type { Config } from "../../../shared/process/config.ts";
import type { Log } from "../../../shared/process/observe/log.ts";
import { createSmtpTransport, recipient } from "../../../shared/process/smtp.ts";

export type Mail = Readonly<{
  to: string;
  subject: string;
  text: string;
  html: string;
  /** Set when a mail may be sent twice, so that the receiver can recognise the copy. */
  messageId?: string;
}>;

/** Hands a mail to the SMTP server. Resolves to false when it was not accepted; the log has the reason. */
export type SendMail = (mail: Mail) => Promise<boolean>;

/** @returns undefined when SMTP_URL is not set, so that this server sends no mail */
export async function createMailer(
  { smtpUrl, mailFrom }: Pick<Config, "smtpUrl" | "mailFrom">,
  log: Log,
): Promise<SendMail | undefined> {
  if (smtpUrl === undefined) return undefined;
  const transport = await createSmtpTransport({ smtpUrl, mailFrom });
  return async ({ to, ...mail }) => {
    try {
      await transport.sendMail({ ...mail, to: recipient(to) });
      return true;
    } catch (error) {
      log.warn({ reason: String(error) }, "a mail could not be sent");
      return false;
    }
  };
}

type Letter = Readonly<{ to: string; subject: string; lines: readonly string[]; link: string; end?: string }>;

/** A mail of a few sentences with one link, in plain text and in HTML. Lines may be links as well. */
export function mailOf({ to, subject, lines, link, end }: Letter): Mail {
  const parts = [...lines, link, ...(end === undefined ? [] : [end])];
  return {
    to,
    subject,
    text: parts.join("\n\n"),
    html: markup(html`<!doctype html>
<html lang="en">
<body>
${parts.map((line) => html`<p>${isLink(line) ? html`<a href="${line}">${line}</a>` : line}</p>\n`)}</body>
</html>
`),
  };
}

const isLink = (line: string): boolean => /^https?:\/\/\S+$/.test(line);
