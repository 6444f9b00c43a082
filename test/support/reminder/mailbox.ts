import { afterAll } from "bun:test";
import { type Mail, type Mailbox, startMailbox } from "../servers/mailbox.ts";

/** A mailbox that ends with the file. */
export async function useMailbox(): Promise<Mailbox> {
  const mailbox = await startMailbox();
  afterAll(mailbox.stop);
  return mailbox;
}

/** The headers of a mail, unfolded, by lower-case name. */
export function headersOf({ raw }: Mail): Record<string, string> {
  const [head = ""] = raw.split("\r\n\r\n", 1);
  const lines = head.replace(/\r\n[ \t]+/g, " ").split("\r\n");
  return Object.fromEntries(
    lines.map((line) => [
      line.slice(0, line.indexOf(":")).toLowerCase(),
      line.slice(line.indexOf(":") + 1).trim(),
    ]),
  );
}

/** All parts of a mail as a reader sees them: quoted-printable and base64 undone. */
export function partsOf({ raw }: Mail): string[] {
  const boundary = /boundary="([^"]+)"/.exec(raw)?.[1];
  return raw
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
