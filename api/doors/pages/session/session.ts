import { sql } from "kysely";
import { LRUCache } from "lru-cache";
import { own, selectFrom, statement, userId } from "../../../../shared/db/reads/statement.ts";
import { readSettings } from "../../../queries/user/read.ts";
import { follow, type Look, locale } from "../../../web/locale.ts";
import type { FindOwnSession, FindSession, Guest, PagesContext, Session, Visit } from "./context.ts";
import { sealedCookie } from "./sealed-cookie.ts";
import { askAgain } from "./sent-form.ts";
import { isProven, submit } from "./submit.ts";

const lifetimeSeconds = 12 * 60 * 60;

export const sessionCookie = (context: Pick<PagesContext, "config" | "keys">) =>
  sealedCookie<Session>(context, "session", lifetimeSeconds);

/** Finds a session that a sign-in at another provider began here, unless a sign-out or a deletion ended it. */
export const findSealedSession: FindSession = async ({ context, request }) => {
  const session = await sessionCookie(context).open(request);
  if (!session) return undefined;
  const generation = await sessionGeneration(context, session.sub);
  return session.generation === generation ? session : undefined;
};

const mostKnown = 10_000;

/** Finds a session of the built-in provider. The first visit after a sign-in takes over what the provider knows. */
export function findSessionsBy(find: FindOwnSession): FindSession {
  const known = new LRUCache<string, true>({ max: mostKnown, ttl: lifetimeSeconds * 1_000 });
  return async (guest) => {
    const found = await find(guest.request);
    if (!found) return undefined;
    const { session, timeZone } = found;
    const { sid, proven_at: issuedAt = 0 } = session;
    const signIn = `${sid} ${issuedAt}`;
    if (known.has(signIn)) return session;
    await takeOver({ ...guest, session }, timeZone === null ? undefined : { name: timeZone, issuedAt });
    known.set(signIn, true);
    return session;
  };
}

/**
 * Takes over the zone and the address that the provider has confirmed, because reminders by e-mail go to no other. If it
 * sends none or has not confirmed it, the stored one is removed: it may now belong to somebody else. Messages write dates as
 * this browser does.
 */
export async function takeOver(
  visit: Pick<Visit, "context" | "session" | "request">,
  zone: Readonly<{ name: string; issuedAt: number }> | undefined,
): Promise<void> {
  const { context, session } = visit;
  await context.claimZone({ userId: session.sub, zone });
  const confirmed = session.email_verified ? (session.email ?? null) : null;
  const known = await readSettings(context.query({ userId: session.sub }), {});
  if (known.email === confirmed && known.locale === locale()) return;
  const email = known.email === confirmed ? {} : { email: confirmed };
  await submit(visit, "user.configure", { ...email, locale: locale() });
}

/** The visit of a signed-in person; undefined if a sign-out, a new password or a deletion ended the session. */
export async function signedInVisit(guest: Guest): Promise<Visit | undefined> {
  const session = await guest.context.findSession(guest);
  if (!session) return undefined;
  const visit = visitOf(guest, session);
  return {
    ...visit,
    askAgain: (form) => askAgain(visit, { path: `${guest.url.pathname}${guest.url.search}`, form }),
  };
}

/** The visit of a person whose session has a proof of the last ten minutes. */
export async function provenVisit(guest: Guest): Promise<Visit | undefined> {
  const visit = await signedInVisit(guest);
  return visit && isProven(visit.session) ? visit : undefined;
}

export const visitOf = (guest: Guest, session: Session): Visit => ({
  ...guest,
  session,
  query: guest.context.query({ userId: session.sub }),
  holder: session.sid,
  owner: session.sub,
});

const users = selectFrom(own("users").as("u"));
const generation = statement(
  {},
  () => sql<Look & { generation: number }>`
    select coalesce(${users.select("u.session_generation")}, 0) as generation,
      coalesce(${users.select("u.theme")}, 'system') as theme,
      coalesce(${users.select("u.week_start")}, 'language') as week_start
    where not exists (select from deleted_users where id = ${userId})`,
);

/** @returns the generation of valid sessions; undefined when the account is deleted */
export async function sessionGeneration(
  { query }: Pick<PagesContext, "query">,
  sub: string,
): Promise<number | undefined> {
  const [found] = await query({ userId: sub }).rows(generation({}));
  if (found) follow(found);
  return found?.generation;
}
