import { html, markup } from "../../../shared/html.ts";
import type { Config } from "../../../shared/process/config.ts";
import { createSmtpTransport, recipient } from "../../../shared/process/smtp.ts";
import { type Channel, linesOf, type Message, sendFailed } from "./channel.ts";

type Options = Pick<Config, "smtpUrl" | "mailFrom" | "baseUrl">;

const maxConnections = 10;

/** Sends a mail through the operator's SMTP server over a few connections, which stay open. */
export async function createEmailChannel(options: Options): Promise<Channel> {
  const { smtpUrl, mailFrom } = options;
  if (smtpUrl === undefined) {
    const unset = sendFailed("This server is not set up to send e-mail.", true);
    return { send: async () => unset, close() {} };
  }
  const pooling = { pool: true, maxConnections, maxMessages: Number.POSITIVE_INFINITY } as const;
  const transport = await createSmtpTransport({ smtpUrl, mailFrom }, pooling);
  const domain = /@([^\s>]+)/.exec(mailFrom)?.[1] ?? "localhost";
  return {
    async send(delivery, message) {
      if (delivery.email === null) return sendFailed("No e-mail address is set.", true);
      try {
        await transport.sendMail({
          to: recipient(delivery.email),
          messageId: `<${delivery.id}@${domain}>`,
          list: { unsubscribe: settingsUrl(options) },
          ...mailOf(message, options),
        });
        return { ok: true };
      } catch (error) {
        const detail = error instanceof Error ? error.message : String(error);
        const failure: SmtpError = Object(error);
        return sendFailed(reasonOf(failure), isRejected(failure), detail);
      }
    },
    close: () => transport.close(),
  };
}

const settingsUrl = ({ baseUrl }: Options): string => `${baseUrl}/account/settings`;

function mailOf(message: Message, options: Options) {
  const { title, subject, notes, link, acts } = message;
  const facts = linesOf({ ...message, notes: "" });
  const links = [...acts, { label: "Open in Kept", url: link }];
  const choose = "Choose how reminders reach you:";
  const url = settingsUrl(options);
  const parts = [title, notes, facts.join("\n"), links.map((one) => `${one.label}: ${one.url}`).join("\n")];
  return {
    subject,
    text: `${parts.filter((part) => part !== "").join("\n\n")}\n\n${choose} ${url}\n`,
    html: markup(html`<h1>${title}</h1>${notes.split("\n").map((line) => line !== "" && html`<p>${line}</p>`)}
      ${facts.map((line) => html`<p>${line}</p>`)}
      <p>${links.map((one, index) => html`${index > 0 && " · "}<a href="${one.url}">${one.label}</a>`)}</p>
      <p>${choose} <a href="${url}">${url}</a></p>`),
  };
}

/** The fields that nodemailer adds to its errors. */
type SmtpError = Readonly<{ code?: string; command?: string; responseCode?: number; response?: string }>;

/**
 * A reply of 500 or more about the recipient or the mail is final (RFC 5321 §4.2.1). One about the sender, a quota
 * or a permission is not, because the operator can fix its cause.
 */
function isRejected({ code, command, responseCode = 0, response = "" }: SmtpError): boolean {
  const isAboutMail = code === "EMESSAGE" || (code === "EENVELOPE" && command === "RCPT TO");
  return isAboutMail && responseCode >= 500 && !operatorsMatter.test(response);
}

/**
 * Codes for a missing sign-in or space; extended ones (RFC 3463) for the sender, a full mailbox, a system, a quota or a
 * policy.
 */
const operatorsMatter = /^(530|552)|^\d{3}[ -]5\.(1\.[78]|2\.2|[347]\.)/;

/** Messages of nodemailer and Node name the operator's mail server, which users must not see. */
function reasonOf(error: SmtpError): string {
  const { code, responseCode } = error;
  if (code === "EAUTH") return "The mail server did not let this service in.";
  if (isRejected(error)) return `The mail server does not take mail for this address (${responseCode}).`;
  if (responseCode !== undefined) return `The mail server did not take the mail now (${responseCode}).`;
  return "The mail server could not be reached.";
}
