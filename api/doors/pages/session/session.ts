import { sql } from "../../../../shared/db/reads/sql.ts";
import { askAgain } from "./ask-again.ts";
import type { Guest, PagesContext, Session, Visit } from "./context.ts";
import { type SealedCookie, sealedCookie } from "./sealed-cookie.ts";

const lifetimeSeconds = 12 * 60 * 60;

export function sessionCookie({
  config,
  keys,
}: Pick<PagesContext, "config" | "keys">): SealedCookie<Session> {
  const secure = config.baseUrl.startsWith("https:");
  return sealedCookie({ name: "kept_account", key: keys.session, lifetimeSeconds, secure });
}

/** The visit of a signed-in person; undefined if a sign-out, a new password or a deletion ended the session. */
export async function signedInVisit(guest: Guest): Promise<Visit | undefined> {
  const session = await sessionCookie(guest.context).open(guest.request);
  if (!session) return undefined;
  const generation = await sessionGeneration(guest.context, session.sub);
  if (session.generation !== generation) return undefined;
  const visit = visitOf(guest, session);
  return {
    ...visit,
    askAgain: (form) => askAgain(visit, { path: `${guest.url.pathname}${guest.url.search}`, form }),
  };
}

/** Seconds for which a sign-in proves that the person is there. */
const provenSeconds = 10 * 60;

/** The visit of a person who signed in, or proved it again to the provider, within the last ten minutes. */
export async function provenVisit(guest: Guest): Promise<Visit | undefined> {
  const visit = await signedInVisit(guest);
  const provenAt = visit?.session.proven_at ?? 0;
  return Date.now() / 1_000 - provenAt < provenSeconds ? visit : undefined;
}

export const visitOf = (guest: Guest, session: Session): Visit => ({
  ...guest,
  session,
  query: guest.context.query({ userId: session.sub }),
  holder: session.sid,
  owner: session.sub,
});

/** @returns the generation of valid sessions; undefined when the account is deleted */
export async function sessionGeneration(
  { query }: Pick<PagesContext, "query">,
  userId: string,
): Promise<number | undefined> {
  const { own, rows } = query({ userId });
  const [found] = await rows(sql<{ generation: number }>`
    select coalesce((select u.session_generation from ${own("users")} u), 0) as generation
    where not exists (select from deleted_users where id = ${userId})`);
  return found?.generation;
}
