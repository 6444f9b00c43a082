import { sql } from "kysely";
import type { PagesContext } from "./context.ts";
import { type SealedCookie, sealedCookie } from "./sealed-cookie.ts";

const lifetimeSeconds = 12 * 60 * 60;

/** Who is signed in. After 12 hours the provider is asked again, which a person does not notice. */
export type Session = {
  /** The user: the `sub` of the ID token. */
  sub: string;
  /** This sign-in; what form tokens are bound to. */
  sid: string;
  /** The user's generation of sessions at this sign-in. */
  generation: number;
  email?: string;
  email_verified?: boolean;
  /** Tells the provider at sign-out whom to sign out, so that it need not ask. */
  id_token?: string;
};

export function sessionCookie({
  config,
  keys,
}: Pick<PagesContext, "config" | "keys">): SealedCookie<Session> {
  const secure = config.baseUrl.startsWith("https:");
  return sealedCookie({ name: "kept_account", key: keys.session, lifetimeSeconds, secure });
}

/** The request's session, unless a sign-out, a new password or the account's deletion ended it. */
export async function currentSession(account: PagesContext, request: Request): Promise<Session | undefined> {
  const session = await sessionCookie(account).open(request);
  if (!session) return undefined;
  const generation = await sessionGeneration(account, session.sub);
  return session.generation === generation ? session : undefined;
}

/** The generation whose sessions count; undefined: the account is deleted, and none does. */
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
