import * as oidc from "openid-client";
import { takeForm } from "../../../web/form/form.ts";
import { message } from "../../../web/page.ts";
import { seeOther } from "../../../web/redirect.ts";
import type { Guest, Session, Visit } from "../session/context.ts";
import { sessionCookie, visitOf } from "../session/session.ts";
import { submit } from "../session/submit.ts";

/**
 * POST /account/sign-out: ends all sessions of these pages, then another provider's if it supports that (RP-Initiated
 * Logout 1.0). An ended session is accepted too, because the provider would renew it. Other browsers signed in at the
 * provider get their sessions back from it.
 */
export async function signOut(guest: Guest): Promise<Response> {
  // The built-in provider takes the same form.
  if (!guest.context.findProvider)
    return new Response(null, { status: 307, headers: { location: "/sign-out" } });
  const session = await sessionCookie(guest.context).open(guest.request);
  // Without the ID token the provider itself asks the person to confirm.
  if (!session) return leaveProvider(guest, undefined);
  const visit = visitOf(guest, session);
  return takeForm<Visit>(endSessions)({ ...visit, askAgain: () => endSessions(visit) });
}

async function endSessions(visit: Visit): Promise<Response> {
  const ended = await submit(visit, "user.end-sessions", {});
  if ("refusal" in ended) {
    visit.context.log.warn({ reason: ended.refusal.message }, "sessions could not be ended");
  }
  return leaveProvider(visit, visit.session);
}

/** Leaves the provider too. With a session, everything that these pages stored in the browser is removed. */
async function leaveProvider(guest: Guest, session: Session | undefined): Promise<Response> {
  const answer = await providerSignOut(guest, session);
  if (session) answer.headers.set("Clear-Site-Data", '"storage"');
  return answer;
}

async function providerSignOut({ context }: Guest, session: Session | undefined): Promise<Response> {
  const cookies = session ? [sessionCookie(context).clear()] : [];
  const provider = await context.findProvider?.().catch(() => undefined);
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
