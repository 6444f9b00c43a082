import { afterAll } from "bun:test";
import { startMailbox } from "../servers/mailbox.ts";
import { startTestIdentity } from "./support.ts";

/** A provider that sends its mail to a mailbox, both until the file's tests end. */
export async function startIdentityWithMail(env: Record<string, string> = {}) {
  const mailbox = await startMailbox();
  const identity = await startTestIdentity({ SMTP_URL: mailbox.url, ...env });
  afterAll(async () => {
    await identity.stop();
    await mailbox.stop();
  });
  return { mailbox, identity };
}
