import { createTransport } from "nodemailer";
import type { Config } from "../../../shared/process/config.ts";
import type { Delivery } from "../lease.ts";
import { type Channel, contentOf, failed } from "./channel.ts";

type Options = Pick<Config, "smtpUrl" | "mailFrom" | "baseUrl" | "defaultTimeZone">;

const timeoutMs = 10_000;
const maxConnections = 10;

/** Sends a mail through the operator's SMTP server over a few kept connections. */
export function createEmailChannel(options: Options): Channel {
  const { smtpUrl, mailFrom } = options;
  if (smtpUrl === undefined) {
    const unset = failed("This server is not set up to send e-mail.", true);
    return { send: async () => unset, close() {} };
  }
  const transport = createTransport(
    {
      url: smtpUrl,
      pool: true,
      maxConnections,
      maxMessages: Number.POSITIVE_INFINITY,
      connectionTimeout: timeoutMs,
      greetingTimeout: timeoutMs,
      socketTimeout: timeoutMs,
      disableFileAccess: true,
      disableUrlAccess: true,
    },
    // RFC 3834 §5: nobody's holiday notice should answer.
    { from: mailFrom, headers: { "Auto-Submitted": "auto-generated" } },
  );
  const domain = /@([^\s>]+)/.exec(mailFrom)?.[1] ?? "localhost";
  return {
    async send(delivery) {
      if (delivery.email === null) return failed("No e-mail address is set.", true);
      try {
        await transport.sendMail({
          // As an object, so that no part of an address is read as a further recipient.
          to: { name: "", address: delivery.email },
          messageId: `<${delivery.id}@${domain}>`,
          list: { unsubscribe: settingsUrl(options) },
          ...mailOf(delivery, options),
        });
        return { ok: true };
      } catch (error) {
        return failed(error instanceof Error ? error.message : String(error), isRejected(error));
      }
    },
    close: () => transport.close(),
  };
}

const settingsUrl = ({ baseUrl }: Options): string => `${baseUrl}/account/settings`;

function mailOf(delivery: Delivery, options: Options) {
  const { todo, local_time, time_zone, late } = contentOf(delivery, options.defaultTimeZone);
  const title = todo?.title ?? "";
  const facts = [
    todo?.due_date ? `Due ${todo.due_date}` : "",
    `Reminder set for ${local_time.slice(0, 16).replace("T", " ")} (${time_zone})`,
    late ? "This reminder is late: the service could not send it in time." : "",
  ].filter((line) => line !== "");
  const choose = "Choose how reminders reach you:";
  const url = settingsUrl(options);
  const lines = facts.map((line) => `<p>${Bun.escapeHTML(line)}</p>`).join("");
  return {
    subject: `Reminder: ${title}`,
    text: `${title}\n\n${facts.join("\n")}\n\n${choose} ${url}\n`,
    html: `<h1>${Bun.escapeHTML(title)}</h1>${lines}<p>${choose} <a href="${Bun.escapeHTML(url)}">${Bun.escapeHTML(url)}</a></p>`,
  };
}

/** The server said for good that this address or mail is not taken (RFC 5321 §4.2.1: 5yz). */
function isRejected(error: unknown): boolean {
  const { code, responseCode } = error as { code?: string; responseCode?: number };
  return (code === "EENVELOPE" || code === "EMESSAGE") && (responseCode ?? 0) >= 500;
}
