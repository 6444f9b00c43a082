import * as oidc from "openid-client";
import type { Visit } from "./context.ts";
import { message, seeOther } from "./respond.ts";
import { sessionCookie } from "./session.ts";
import { submit } from "./submit.ts";

/**
 * POST /account/sign-out: ends every session of these pages, then the one at the provider where it offers that
 * (RP-Initiated Logout 1.0). Other browsers that are signed in there come back by themselves.
 */
export async function signOut(visit: Visit): Promise<Response> {
  const { account, session } = visit;
  const ended = await submit(visit, "user.end-sessions", {});
  if ("refusal" in ended) account.log.warn({ reason: ended.refusal.message }, "sessions could not be ended");
  const cookie = sessionCookie(account).clear();
  const provider = await account.findProvider().catch(() => undefined);
  if (!provider?.serverMetadata().end_session_endpoint) {
    const link = { href: "/account", label: "Sign in again" };
    const text = "You are signed out of Kept in this browser.";
    return message(account, "Signed out", text, { headers: { "Set-Cookie": cookie }, link });
  }
  const address = oidc.buildEndSessionUrl(provider, {
    post_logout_redirect_uri: `${account.config.baseUrl}/account`,
    ...(session.id_token !== undefined && { id_token_hint: session.id_token }),
  });
  return seeOther(address.href, [cookie]);
}
