import type { Context, Next } from "koa";
import { errors, type KoaContextWithOIDC } from "oidc-provider";
import { type Html, html } from "../../../shared/html.ts";
import type { Log } from "../../../shared/process/observe/log.ts";
import { forgetting } from "../../web/connect-guides.ts";
import { message, page } from "../../web/page.ts";
import { failurePage, notFoundPage } from "../../web/router.ts";
import { UnreadDocument } from "../documents.ts";
import { documentHost } from "../grants.ts";
import { formSource } from "./redirects.ts";

/** The facts of the provider's pages that messages need. */
export const messageSite = { home: "/account", formTargets: [] };

/** Answers a Koa request with the response of a page. Cookies that were set on the context stay. */
export async function reply(ctx: Context, response: Response): Promise<void> {
  ctx.set(Object.fromEntries(response.headers));
  const location = response.headers.get("location");
  if (location === null) ctx.body = await response.text();
  else ctx.redirect(location);
  ctx.status = response.status;
}

const outagePage = ({ error_description = "" }: errors.TemporarilyUnavailable): Response =>
  message(messageSite, "That did not work", error_description, {
    status: 503,
    headers: { "Retry-After": "1" },
  });

/** The page of a mailed link that is no longer good for anything. */
export const deadLinkPage = (
  reason: string | Html,
  options: Readonly<{ link?: Readonly<{ href: string; label: string }> | null }> = {},
): Response => message(messageSite, "This link does not work", reason, { status: 410, ...options });

/** The page for an authorization request that is answered to its person, not to the app. */
export function refusedRequestPage(error: Error, { query }: Pick<Context, "query">): Response {
  if (error instanceof errors.TemporarilyUnavailable) return outagePage(error);
  const known = error instanceof errors.OIDCProviderError ? error : undefined;
  const body = html`<p>An app sent you here with a request that this server cannot answer. Nothing was shared
    with it.</p>${nextStep(error, String(query.client_id))}
    <p class="quiet small">For its developers: <code>${known?.error ?? "server_error"}</code>
    ${known?.error_description}</p>`;
  const status = Math.max(400, known?.statusCode ?? 500);
  return page(messageSite, { title: "That did not work", body }, { status });
}

/** An app that forgets its registration makes another; one that does not would lead here each time. */
function nextStep(error: Error, clientId: string): Html {
  const host = documentHost(clientId);
  if (error.cause instanceof UnreadDocument)
    return html`<p>The app describes itself in a document at <code>${host}</code>, which cannot be read.
      ${error.cause.message} Try again later. If that never helps, ask the operator of this server to set
      <code>CLIENT_DOCUMENTS=no</code>: the app then registers itself instead.</p>`;
  if (!(error instanceof errors.InvalidClient)) return html`<p>Go back to the app and try again.</p>`;
  return html`<p>The app knows this server, but this server does not know the app. Make the app forget, then connect it
    again:</p><ul>${forgetting.map(({ client, text }) => html`<li>${client}: ${text}</li>`)}</ul>`;
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
export const signedOutPage = (): Response =>
  message(messageSite, "Signed out", "You are signed out in this browser.");

/** Turns errors of pages and unknown addresses into pages that say what to do. */
export function explainFailures(log: Log) {
  return async (ctx: Context, next: Next): Promise<void> => {
    try {
      await next();
      if (ctx.status === 503) ctx.set("Retry-After", "1");
      if (ctx.status === 404 && !ctx.body) await reply(ctx, notFoundPage(messageSite));
    } catch (error) {
      await reply(ctx, explain(ctx, log, error));
    }
  };
}

function explain(ctx: Context, log: Log, error: unknown): Response {
  if (error instanceof errors.SessionNotFound) {
    const text = "Go back to the app and connect it again.";
    return message(messageSite, "This took too long", text, { status: 400 });
  }
  if (error instanceof errors.TemporarilyUnavailable) return outage(ctx, error);
  if (isHttpError(error)) {
    return message(messageSite, "That did not work", error.message, { status: error.status });
  }
  log.error({ path: ctx.path, reason: String(error) }, "a page failed");
  return failurePage(messageSite);
}

/** Answers as oidc-provider answers errors: HTML for browsers, JSON for others. */
function outage(ctx: Context, error: errors.TemporarilyUnavailable): Response {
  if (ctx.accepts("json", "html") === "html") return outagePage(error);
  const { error: code, error_description } = error;
  const headers = { "Cache-Control": "no-store", "Retry-After": "1" };
  return Response.json({ error: code, error_description }, { status: 503, headers });
}

const isHttpError = (error: unknown): error is Error & { status: number } =>
  error instanceof Error && "expose" in error && error.expose === true && "status" in error;
