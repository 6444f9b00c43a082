import * as user from "../read/user.ts";
import type { Visit } from "./account.ts";
import { carryOut } from "./carry-out.ts";

/** Takes over the address that the provider has confirmed: reminders by e-mail go to that one and to no other. */
export async function adoptEmail(visit: Pick<Visit, "account" | "session">): Promise<void> {
  const { account, session } = visit;
  if (session.email === undefined || !session.email_verified) return;
  const known = await user.settings(account.reader({ userId: session.sub }), {});
  if ("email" in known && known.email === session.email) return;
  await carryOut(visit, "user.configure", { email: session.email });
}
