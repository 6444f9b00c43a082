import type { Context, Next } from "koa";
import type { KoaContextWithOIDC, Provider } from "oidc-provider";
import { allScopes } from "../../../shared/contracts/kernel/scopes.ts";
import { message } from "../../web/page.ts";
import { reply } from "../pages/koa.ts";
import { refusedRequestPage } from "../pages/oauth.ts";
import { authorizePath } from "../pages/redirects.ts";
import { messageSite } from "../pages/site.ts";

/** A stranger's request is kept in an address, and proxies refuse answers with long ones. */
const maxRequest = 2_560;
const maxValue = 1_024;

/** An app that sends changes elsewhere must ask for that by name. */
const usualScope = allScopes.filter((scope) => scope !== "webhooks:write").join(" ");

/**
 * An authorization request without `scope` asks for habits, todos and categories (RFC 6749 §3.3); the person ticks what
 * the app gets.
 */
export function defaultScope(ctx: Context, next: Next): Promise<void> {
  if (ctx.path === "/authorize" && !ctx.query.scope) ctx.query = { ...ctx.query, scope: usualScope };
  return next();
}

/** Refuses long requests, because strangers can send them. */
export async function boundAuthorizations(ctx: Context, next: Next): Promise<void> {
  if (ctx.path !== "/authorize" || !isTooLong(ctx)) return next();
  await reply(ctx, refusal(414, "An app sent you here with a request that is too long."));
}

type Authorizing = Context & Partial<KoaContextWithOIDC>;

/**
 * Redirects people who are not signed in to the sign-in, which leads back to the same request. So strangers store
 * nothing and cannot fill the store.
 */
export async function signInFirst(ctx: Authorizing, next: Next): Promise<void> {
  await next();
  const interaction = ctx.oidc?.entities.Interaction;
  if (!interaction || ctx.oidc?.session?.accountId) return;
  const { prompt, ...params } = interaction.params;
  const others = String(prompt ?? "")
    .split(" ")
    .filter((word) => word !== "login");
  const query = new URLSearchParams({
    next: authorizePath({ ...params, prompt: others.join(" ") || undefined }),
  });
  ctx.redirect(`/sign-in?${query}`);
}

const refusal = (status: number, text: string, headers = {}): Response =>
  message(messageSite, "That did not work", text, { status, headers });

function isTooLong(ctx: Context): boolean {
  // A body without a declared length could be of any size.
  if (ctx.method === "POST") return (ctx.request.length ?? Number.POSITIVE_INFINITY) > maxRequest;
  const values = Object.values(ctx.query).flat();
  return ctx.querystring.length > maxRequest || values.some((value) => (value ?? "").length > maxValue);
}

type Failed = Authorizing & { state: { oauthError?: Error } };

/**
 * Sends an error to a registered app only when the person is signed in. Anybody may register an app, so otherwise
 * this server would redirect strangers to any address, which serves phishing (RFC 9700 §4.11.2).
 */
export function keepStrangersHere(provider: Provider) {
  rememberErrors(provider);
  return async (ctx: Failed, next: Next): Promise<void> => {
    await next();
    const { oidc, state } = ctx;
    if (!state.oauthError || oidc?.session?.accountId) return;
    ctx.remove("Location");
    await reply(ctx, refusedRequestPage(state.oauthError));
  };
}

function rememberErrors(provider: Provider): void {
  provider.on("authorization.error", (ctx, error) => {
    ctx.state.oauthError = error;
  });
}
