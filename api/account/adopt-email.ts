import * as user from "../queries/user.ts";
import { carryOut } from "./carry-out.ts";
import type { Visit } from "./context.ts";

/**
 * Takes over the address that the provider has confirmed: reminders by e-mail go to that one and to no other. An
 * address that it has not confirmed, or no longer tells, is given up, and may be somebody else's by now.
 */
export async function adoptEmail(visit: Pick<Visit, "account" | "session">): Promise<void> {
  const { account, session } = visit;
  const confirmed = session.email_verified ? (session.email ?? null) : null;
  const known = await user.settings(account.query({ userId: session.sub }), {});
  if (known.email === confirmed) return;
  await carryOut(visit, "user.configure", { email: confirmed });
}
