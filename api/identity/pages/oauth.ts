import { type Configuration, errors, type KoaContextWithOIDC } from "oidc-provider";
import { html } from "../../../shared/html.ts";
import { message, page } from "../../web/page.ts";
import { reply } from "./koa.ts";
import { formSource } from "./redirects.ts";
import { messageSite } from "./site.ts";

/** The page of an OAuth error that cannot be sent back to the app (RFC 6749 §4.1.2.1). */
export const renderOAuthError: NonNullable<Configuration["renderError"]> = (ctx, _out, error) =>
  reply(ctx, refusedRequestPage(error));

export const outagePage = ({ error_description = "" }: errors.TemporarilyUnavailable): Response =>
  message(messageSite, "That did not work", error_description, {
    status: 503,
    headers: { "Retry-After": "1" },
  });

/** The page for an authorization request that is answered to its person, not to the app. */
export function refusedRequestPage(error: Error): Response {
  if (error instanceof errors.TemporarilyUnavailable) return outagePage(error);
  const known = error instanceof errors.OIDCProviderError ? error : undefined;
  const body = html`<p>An app sent you here with a request that this server cannot answer. Nothing was shared
    with it. Go back to the app and try again.</p>
    <p class="quiet small">For its developers: <code>${known?.error ?? "server_error"}</code>
    ${known?.error_description}</p>`;
  const status = Math.max(400, known?.statusCode ?? 500);
  return page(messageSite, { title: "That did not work", body }, { status });
}

/** Asks before an app signs the person out here (OpenID Connect RP-Initiated Logout 1.0 §2). */
export async function renderSignOut(ctx: KoaContextWithOIDC): Promise<void> {
  const { session, params } = ctx.oidc;
  const back = params?.post_logout_redirect_uri;
  const body = html`<p>You will be signed out in this browser. Apps and tokens that you connected stay
    connected.</p>
    <form method="post" action="${ctx.oidc.urlFor("end_session_confirm")}" class="actions">
    <input type="hidden" name="xsrf" value="${String(session?.state?.secret)}">
    <button name="logout" value="yes">Sign out</button>
    <button class="plain">Stay signed in</button>
    </form>`;
  const formTargets = typeof back === "string" ? formSource(back) : [];
  await reply(ctx, page(messageSite, { title: "Sign out?", body }, { formTargets }));
}

/** The page after a sign-out when there is no address to return to. */
export function signedOutPage(): Response {
  return message(messageSite, "Signed out", "You are signed out in this browser.");
}
