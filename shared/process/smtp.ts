import type { Config } from "./config.ts";

/** Gives up on an unresponsive server after this time, because somebody waits for the mail. */
const timeoutMs = 10_000;

/** Reuses connections, for a service that sends many mails. */
type Pooling = Readonly<{ pool: true; maxConnections: number; maxMessages: number }>;

/**
 * A connection to the operator's SMTP server, for mails that this service writes. The library takes 6 MB, so only a process
 * with a mail server loads it.
 */
export async function createSmtpTransport(
  { smtpUrl, mailFrom }: Readonly<{ smtpUrl: string }> & Pick<Config, "mailFrom">,
  pooling?: Pooling,
) {
  const { createTransport } = await import("nodemailer");
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
    // RFC 3834 §5: this header keeps automatic replies away.
    { from: mailFrom, headers: { "Auto-Submitted": "auto-generated" } },
  );
}

/** Returns an object, because text could be parsed as several recipients. */
export const recipient = (address: string) => ({ name: "", address });
