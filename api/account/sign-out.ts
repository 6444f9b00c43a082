import * as oidc from "openid-client";
import type { Visit } from "./account.ts";
import { message, seeOther } from "./respond.ts";
import { sessionCookie } from "./session.ts";

/** POST /account/sign-out: here at once, then at the provider where it offers that (RP-Initiated Logout 1.0). */
export async function signOut({ account }: Visit): Promise<Response> {
  const cookie = sessionCookie(account).clear();
  const provider = await account.findProvider().catch(() => undefined);
  if (!provider?.serverMetadata().end_session_endpoint) {
    const link = { href: "/account", label: "Sign in again" };
    const text = "You are signed out of Kept in this browser.";
    return message(account, "Signed out", text, { headers: { "Set-Cookie": cookie }, link });
  }
  const back = { post_logout_redirect_uri: `${account.config.baseUrl}/account` };
  return seeOther(oidc.buildEndSessionUrl(provider, back).href, [cookie]);
}
