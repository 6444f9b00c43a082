import { createTransport } from "nodemailer";
import type { Config } from "./config.ts";

/** A server that does not answer is given up after this time, because somebody waits for the mail. */
const timeoutMs = 10_000;

/** Reuses connections, for a service that sends many mails. */
type Pooling = Readonly<{ pool: true; maxConnections: number; maxMessages: number }>;

/** A connection to the operator's SMTP server, for mails that this service writes. */
export function createSmtpTransport(
  { smtpUrl, mailFrom }: Readonly<{ smtpUrl: string }> & Pick<Config, "mailFrom">,
  pooling?: Pooling,
) {
  return createTransport(
    {
      url: smtpUrl,
      ...pooling,
      connectionTimeout: timeoutMs,
      greetingTimeout: timeoutMs,
      socketTimeout: timeoutMs,
      disableFileAccess: true,
      disableUrlAccess: true,
    },
    // RFC 3834 §5: nobody's holiday notice should answer.
    { from: mailFrom, headers: { "Auto-Submitted": "auto-generated" } },
  );
}

/** An object and no text, so that no part of an address is read as a further recipient. */
export const recipient = (address: string) => ({ name: "", address });
