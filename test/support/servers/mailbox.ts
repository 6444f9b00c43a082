import { SMTPServer } from "smtp-server";
import { freePort } from "./services.ts";

/** A mail as it was received, and with its quoted-printable undone. */
export type Mail = Readonly<{ from: string; to: string[]; raw: string; source: string }>;

export type Mailbox = Awaited<ReturnType<typeof startMailbox>>;

/** A real SMTP server that keeps accepted mails. */
export async function startMailbox() {
  const mails: Mail[] = [];
  /** Recipients that the server refuses for good. */
  const unknown = new Set<string>();
  /** The server's answer to each mail at a step, for example `553 Not your address`. */
  const refusals: Partial<Record<"sender" | "recipient" | "data", string>> = {};
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["AUTH", "STARTTLS"],
    onMailFrom: (_address, _session, done) => done(refusal(refusals.sender)),
    onRcptTo({ address }, _session, done) {
      done(refusal(unknown.has(address) ? "550 No such mailbox" : refusals.recipient));
    },
    async onData(stream, { envelope }, done) {
      const raw = await new Response(stream).text();
      const refused = refusal(refusals.data);
      if (refused) return done(refused);
      const from = envelope.mailFrom ? envelope.mailFrom.address : "";
      mails.push({ from, to: envelope.rcptTo.map(({ address }) => address), raw, source: readable(raw) });
      done();
    },
  });
  server.on("error", () => {});
  const port = freePort();
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const stop = () => new Promise<void>((resolve) => server.close(resolve));
  return { url: `smtp://127.0.0.1:${port}`, mails, unknown, refusals, stop };
}

const refusal = (reply: string | undefined): Error | undefined =>
  reply === undefined
    ? undefined
    : Object.assign(new Error(reply.slice(4)), { responseCode: Number(reply.slice(0, 3)) });

/** RFC 2045 §6.7, for mails in ASCII. */
function readable(source: string): string {
  return source
    .replace(/=\r\n/g, "")
    .replace(/=([0-9A-F]{2})/g, (_all, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}
