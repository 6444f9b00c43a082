import * as oidc from "openid-client";
import { takeForm } from "../../../web/form/form.ts";
import { message } from "../../../web/page.ts";
import { seeOther } from "../../../web/redirect.ts";
import type { Guest, Session, Visit } from "../session/context.ts";
import { sessionCookie } from "../session/session.ts";
import { submit } from "../session/submit.ts";

/**
 * POST /account/sign-out: ends every session of these pages, then the one at the provider if it supports that
 * (RP-Initiated Logout 1.0). It is enough that the session is this browser's: one that has ended already would be
 * opened anew by the provider. Other browsers that are signed in there are signed in here again by it.
 */
export async function signOut(guest: Guest): Promise<Response> {
  const session = await sessionCookie(guest.context).open(guest.request);
  // Without the ID token the provider asks the person first, whoever sent this form.
  if (!session) return leaveProvider(guest, undefined);
  const visit = { ...guest, session, holder: session.sid, owner: session.sub };
  return takeForm<Visit>(endSessions)({ ...visit, askAgain: () => endSessions(visit) });
}

async function endSessions(visit: Visit): Promise<Response> {
  const ended = await submit(visit, "user.end-sessions", {});
  if ("refusal" in ended) {
    visit.context.log.warn({ reason: ended.refusal.message }, "sessions could not be ended");
  }
  return leaveProvider(visit, visit.session);
}

/** Goes on to the provider's sign-out. The cookie of these pages goes with a session. */
async function leaveProvider({ context }: Guest, session: Session | undefined): Promise<Response> {
  const cookies = session ? [sessionCookie(context).clear()] : [];
  const provider = await context.findProvider().catch(() => undefined);
  if (!provider?.serverMetadata().end_session_endpoint) return signedOutPage({ context, cookies });
  const address = oidc.buildEndSessionUrl(provider, {
    post_logout_redirect_uri: `${context.config.baseUrl}/account`,
    ...(session?.id_token !== undefined && { id_token_hint: session.id_token }),
  });
  return seeOther(address.href, cookies);
}

function signedOutPage({ context, cookies }: Pick<Guest, "context"> & { cookies: string[] }): Response {
  const [cookie] = cookies;
  if (cookie === undefined) return seeOther("/account");
  const link = { href: "/account", label: "Sign in again" };
  const text = "You are signed out of Kept in this browser.";
  return message(context.site, "Signed out", text, { headers: { "Set-Cookie": cookie }, link });
}
