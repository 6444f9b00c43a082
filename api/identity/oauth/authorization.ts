import type { Context, Next } from "koa";
import type { KoaContextWithOIDC, Provider } from "oidc-provider";
import { allScopes } from "../../../shared/contracts/scopes.ts";
import type { Identity } from "../accounts/context.ts";
import { sendRefusedRequest } from "../pages/oauth.ts";
import { sendMessage } from "../pages/respond.ts";

/** A request waits in the database for its person, so it cannot be as long as anybody likes. */
const MAX_REQUEST = 4_096;
const MAX_VALUE = 1_024;

/** An authorization request without `scope` asks for all of them (RFC 6749 §3.3); the person ticks what it gets. */
export function defaultScope(ctx: Context, next: Next): Promise<void> {
  if (ctx.path === "/authorize" && !ctx.query.scope) ctx.query = { ...ctx.query, scope: allScopes.join(" ") };
  return next();
}

/** Bounds what the authorization requests of strangers leave behind: their length and their number. */
export function boundAuthorizations({ provider, throttle }: Pick<Identity, "provider" | "throttle">) {
  return async (ctx: Context, next: Next): Promise<void> => {
    if (ctx.path !== "/authorize") return next();
    if (isTooLong(ctx)) {
      return sendMessage(
        ctx,
        414,
        "That did not work",
        "An app sent you here with a request that is too long.",
      );
    }
    if ((await provider.Session.get(ctx)).accountId) return next();
    const wait = await throttle.authorization(ctx.ip);
    if (wait === 0) return next();
    ctx.set("Retry-After", String(wait));
    const text = `Too many sign-ins were begun from your network. Try again in ${Math.ceil(wait / 60)} minutes.`;
    sendMessage(ctx, 429, "That did not work", text);
  };
}

function isTooLong(ctx: Context): boolean {
  // Without its length a body may be of any.
  if (ctx.method === "POST") return (ctx.request.length ?? Number.POSITIVE_INFINITY) > MAX_REQUEST;
  const values = Object.values(ctx.query).flat();
  return ctx.querystring.length > MAX_REQUEST || values.some((value) => (value ?? "").length > MAX_VALUE);
}

type Failed = Context & Partial<KoaContextWithOIDC> & { state: { oauthError?: Error } };

/**
 * An error is sent on to a registered app only when somebody signed in has asked for it: anybody may register, and
 * an address of ours that leads strangers on to any other serves phishing (RFC 9700 §4.11.2).
 */
export function keepStrangersHere({ provider, ownClient }: Pick<Identity, "provider" | "ownClient">) {
  rememberErrors(provider);
  return async (ctx: Failed, next: Next): Promise<void> => {
    await next();
    const { oidc, state } = ctx;
    const isOurs = oidc?.client?.clientId === ownClient.id;
    if (!state.oauthError || isOurs || oidc?.session?.accountId) return;
    ctx.remove("Location");
    sendRefusedRequest(ctx, state.oauthError);
  };
}

function rememberErrors(provider: Provider): void {
  provider.on("authorization.error", (ctx, error) => {
    ctx.state.oauthError = error;
  });
}
