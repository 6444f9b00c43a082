import * as oidc from "openid-client";
import { message } from "../../../shared/web/page.ts";
import { seeOther } from "../../../shared/web/redirect.ts";
import type { Visit } from "../visit/context.ts";
import { sessionCookie } from "../visit/session.ts";
import { submit } from "../visit/submit.ts";

/**
 * POST /account/sign-out: ends every session of these pages, then the one at the provider if it supports that
 * (RP-Initiated Logout 1.0). Other browsers that are signed in at the provider are signed in here again by it.
 */
export async function signOut(visit: Visit): Promise<Response> {
  const { context, session } = visit;
  const ended = await submit(visit, "user.end-sessions", {});
  if ("refusal" in ended) context.log.warn({ reason: ended.refusal.message }, "sessions could not be ended");
  const cookie = sessionCookie(context).clear();
  const provider = await context.findProvider().catch(() => undefined);
  if (!provider?.serverMetadata().end_session_endpoint) {
    const link = { href: "/account", label: "Sign in again" };
    const text = "You are signed out of Kept in this browser.";
    return message(context.site, "Signed out", text, { headers: { "Set-Cookie": cookie }, link });
  }
  const address = oidc.buildEndSessionUrl(provider, {
    post_logout_redirect_uri: `${context.config.baseUrl}/account`,
    ...(session.id_token !== undefined && { id_token_hint: session.id_token }),
  });
  return seeOther(address.href, [cookie]);
}
