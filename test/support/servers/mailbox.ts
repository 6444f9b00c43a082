import { SMTPServer } from "smtp-server";
import { freePort } from "./services.ts";

/** A mail as it was received; `source` is the whole message with its quoted-printable undone. */
export type ReceivedMail = { from: string; to: string[]; source: string };

export type Mailbox = { url: string; mails: ReceivedMail[]; stop(): Promise<void> };

/** A real SMTP server that takes every mail. */
export async function startMailbox(): Promise<Mailbox> {
  const mails: ReceivedMail[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["AUTH", "STARTTLS"],
    async onData(stream, { envelope }, callback) {
      const source = readable(await new Response(stream).text());
      const from = envelope.mailFrom ? envelope.mailFrom.address : "";
      mails.push({ from, to: envelope.rcptTo.map(({ address }) => address), source });
      callback();
    },
  });
  const port = freePort();
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  return {
    url: `smtp://127.0.0.1:${port}`,
    mails,
    stop: () => new Promise((resolve) => server.close(resolve)),
  };
}

/** RFC 2045 §6.7, for mails in ASCII. */
function readable(source: string): string {
  return source
    .replace(/=\r\n/g, "")
    .replace(/=([0-9A-F]{2})/g, (_all, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}
