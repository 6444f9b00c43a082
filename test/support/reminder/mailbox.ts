import { afterAll } from "bun:test";
import { SMTPServer } from "smtp-server";

export type Mail = Readonly<{ to: string[]; source: string }>;

export type Mailbox = Readonly<{
  url: string;
  mails: Mail[];
  /** Recipients that the server refuses for good. */
  unknown: Set<string>;
  /** The server's answer to each mail at a step, for example `553 Not your address`. */
  refusals: Partial<Record<"sender" | "recipient" | "data", string>>;
  /** While set, the server refuses every mail for now. */
  behaviour: { busy: boolean };
}>;

/** A real SMTP server that keeps accepted mails. */
export async function startMailbox(): Promise<Mailbox> {
  const mails: Mail[] = [];
  const unknown = new Set<string>();
  const refusals: Mailbox["refusals"] = {};
  const behaviour = { busy: false };
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    onMailFrom: (_address, _session, done) => done(refusal(refusals.sender)),
    onRcptTo({ address }, _session, done) {
      done(refusal(unknown.has(address) ? "550 No such mailbox" : refusals.recipient));
    },
    onData(stream, { envelope }, done) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        const refused = refusal(behaviour.busy ? "451 Try again later" : refusals.data);
        if (refused) return done(refused);
        mails.push({
          to: envelope.rcptTo.map(({ address }) => address),
          source: Buffer.concat(chunks).toString(),
        });
        done();
      });
    },
  });
  server.on("error", () => {});
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, "127.0.0.1", resolve);
  await promise;
  afterAll(() => new Promise<void>((done) => server.close(done)));
  const { port } = server.server.address() as { port: number };
  return { url: `smtp://127.0.0.1:${port}`, mails, unknown, refusals, behaviour };
}

const refusal = (reply: string | undefined): Error | undefined =>
  reply === undefined
    ? undefined
    : Object.assign(new Error(reply.slice(4)), { responseCode: Number(reply.slice(0, 3)) });

/** The headers of a mail, unfolded, by lower-case name. */
export function headersOf({ source }: Mail): Record<string, string> {
  const [head = ""] = source.split("\r\n\r\n", 1);
  const lines = head.replace(/\r\n[ \t]+/g, " ").split("\r\n");
  return Object.fromEntries(
    lines.map((line) => [
      line.slice(0, line.indexOf(":")).toLowerCase(),
      line.slice(line.indexOf(":") + 1).trim(),
    ]),
  );
}

/** All parts of a mail as a reader sees them: quoted-printable and base64 undone. */
export function partsOf({ source }: Mail): string[] {
  const boundary = /boundary="([^"]+)"/.exec(source)?.[1];
  return source
    .split(`--${boundary}`)
    .slice(1, -1)
    .map((part) => {
      const [head = "", ...body] = part.split("\r\n\r\n");
      const text = body.join("\r\n\r\n");
      if (/base64/i.test(head)) return Buffer.from(text, "base64").toString();
      if (!/quoted-printable/i.test(head)) return text;
      const escaped = text.replace(/=\r\n/g, "").replaceAll("%", "%25");
      return decodeURIComponent(escaped.replace(/=([0-9A-F]{2})/g, "%$1"));
    });
}
