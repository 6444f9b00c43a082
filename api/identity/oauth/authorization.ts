import type { Context, Next } from "koa";
import type { KoaContextWithOIDC, Provider } from "oidc-provider";
import { allScopes } from "../../../shared/contracts/scopes.ts";
import { message } from "../../../shared/web/page.ts";
import type { IdentityContext } from "../accounts/context.ts";
import { reply } from "../pages/koa.ts";
import { refusedRequestPage } from "../pages/oauth.ts";
import { messageSite } from "../pages/site.ts";

/** A request is stored until its person has answered, so its length is limited. */
const maxRequest = 4_096;
const maxValue = 1_024;

/** An authorization request without `scope` asks for all scopes (RFC 6749 §3.3); the person ticks what the app gets. */
export function defaultScope(ctx: Context, next: Next): Promise<void> {
  if (ctx.path === "/authorize" && !ctx.query.scope) ctx.query = { ...ctx.query, scope: allScopes.join(" ") };
  return next();
}

/** Limits the length and the number of stored authorization requests, because strangers can send them. */
export function boundAuthorizations({ provider, throttle }: Pick<IdentityContext, "provider" | "throttle">) {
  return async (ctx: Context, next: Next): Promise<void> => {
    if (ctx.path !== "/authorize") return next();
    if (isTooLong(ctx)) {
      return reply(ctx, refusal(414, "An app sent you here with a request that is too long."));
    }
    if ((await provider.Session.get(ctx)).accountId) return next();
    const wait = await throttle.authorization(ctx.ip);
    if (wait === 0) return next();
    const text = `Too many sign-ins were begun from your network. Try again in ${Math.ceil(wait / 60)} minutes.`;
    await reply(ctx, refusal(429, text, { "Retry-After": String(wait) }));
  };
}

const refusal = (status: number, text: string, headers = {}): Response =>
  message(messageSite, "That did not work", text, { status, headers });

function isTooLong(ctx: Context): boolean {
  // A body without a declared length could be of any size.
  if (ctx.method === "POST") return (ctx.request.length ?? Number.POSITIVE_INFINITY) > maxRequest;
  const values = Object.values(ctx.query).flat();
  return ctx.querystring.length > maxRequest || values.some((value) => (value ?? "").length > maxValue);
}

type Failed = Context & Partial<KoaContextWithOIDC> & { state: { oauthError?: Error } };

/**
 * Sends an error to a registered app only when the person is signed in. Anybody may register an app, so otherwise
 * this server would redirect strangers to any address, which serves phishing (RFC 9700 §4.11.2).
 */
export function keepStrangersHere({ provider, ownClient }: Pick<IdentityContext, "provider" | "ownClient">) {
  rememberErrors(provider);
  return async (ctx: Failed, next: Next): Promise<void> => {
    await next();
    const { oidc, state } = ctx;
    const isOurs = oidc?.client?.clientId === ownClient.id;
    if (!state.oauthError || isOurs || oidc?.session?.accountId) return;
    ctx.remove("Location");
    await reply(ctx, refusedRequestPage(state.oauthError));
  };
}

function rememberErrors(provider: Provider): void {
  provider.on("authorization.error", (ctx, error) => {
    ctx.state.oauthError = error;
  });
}
