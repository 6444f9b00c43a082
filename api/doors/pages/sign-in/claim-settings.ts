import { readSettings } from "../../../queries/user/settings.ts";
import { locale } from "../../../web/locale.ts";
import type { Visit } from "../session/context.ts";
import { submit } from "../session/submit.ts";

/**
 * Stores the address that the provider has confirmed, because reminders by e-mail go to no other. If the provider sends
 * none or has not confirmed it, the stored one is removed: it may now belong to somebody else. Messages write dates as
 * this browser does.
 */
export async function claimSettings(visit: Pick<Visit, "context" | "session" | "request">): Promise<void> {
  const { context, session } = visit;
  const confirmed = session.email_verified ? (session.email ?? null) : null;
  const known = await readSettings(context.query({ userId: session.sub }), {});
  if (known.email === confirmed && known.locale === locale()) return;
  await submit(visit, "user.configure", { email: confirmed, locale: locale() });
}
