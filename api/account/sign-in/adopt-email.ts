import * as user from "../../queries/user.ts";
import { carryOut } from "../visit/carry-out.ts";
import type { Visit } from "../visit/context.ts";

/**
 * Takes over the address that the provider has confirmed: reminders by e-mail go to that one and to no other. An
 * address that it has not confirmed, or no longer tells, is given up, and may be somebody else's by now.
 */
export async function adoptEmail(visit: Pick<Visit, "context" | "session">): Promise<void> {
  const { context, session } = visit;
  const confirmed = session.email_verified ? (session.email ?? null) : null;
  const known = await user.settings(context.query({ userId: session.sub }), {});
  if ("email" in known && known.email === confirmed) return;
  await carryOut(visit, "user.configure", { email: confirmed });
}
