import type { Context } from "koa";
import { type Configuration, errors, type KoaContextWithOIDC } from "oidc-provider";
import { html } from "../../../shared/web/html.ts";
import { formSource } from "./redirects.ts";
import { seeOther, sendMessage, sendPage } from "./respond.ts";

/** The page of an OAuth error that cannot be sent back to the app (RFC 6749 §4.1.2.1). */
export const renderOAuthError: NonNullable<Configuration["renderError"]> = (ctx, _out, error) =>
  sendRefusedRequest(ctx, error);

/** The page of an authorization request that is answered to its person, not to the app. */
export function sendRefusedRequest(ctx: Context, error: Error): void {
  const known = error instanceof errors.OIDCProviderError ? error : undefined;
  const body = html`<p>An app sent you here with a request that this server cannot answer. Nothing was shared
    with it. Go back to the app and try again.</p>
    <p class="quiet small">For its developers: <code>${known?.error ?? "server_error"}</code>
    ${known?.error_description}</p>`;
  sendPage(ctx, { title: "That did not work", body }, { status: Math.max(400, known?.statusCode ?? 500) });
}

/**
 * Asks before an app signs the person out here (OpenID Connect RP-Initiated Logout 1.0 §2). The account pages were
 * asked already: whoever comes from there with an ID token of the person signed in here is signed out at once.
 */
export async function renderSignOut(ctx: KoaContextWithOIDC, ownClientId: string): Promise<void> {
  const { session, params, client, entities } = ctx.oidc;
  const back = params?.post_logout_redirect_uri;
  const isSamePerson = entities.IdTokenHint?.payload.sub === session?.accountId;
  if (session && client?.clientId === ownClientId && isSamePerson && typeof back === "string") {
    await session.destroy();
    ctx.cookies.set(ctx.oidc.provider.cookieName("session"), null, { signed: true });
    return seeOther(ctx, back);
  }
  const body = html`<p>You will be signed out in this browser. Apps and tokens that you connected stay
    connected.</p>
    <form method="post" action="${ctx.oidc.urlFor("end_session_confirm")}" class="actions">
    <input type="hidden" name="xsrf" value="${String(session?.state?.secret)}">
    <button name="logout" value="yes">Sign out</button>
    <button class="plain">Stay signed in</button>
    </form>`;
  const formTargets = typeof back === "string" ? formSource(back) : [];
  sendPage(ctx, { title: "Sign out?", body }, { formTargets });
}

/** Where a person ends who was signed out and has no page to go back to. */
export function renderSignedOut(ctx: Context): void {
  sendMessage(ctx, 200, "Signed out", "You are signed out in this browser.");
}
