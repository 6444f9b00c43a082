import type { Context, Next } from "koa";
import type { KoaContextWithOIDC } from "oidc-provider";
import { allScopes, isScope } from "../../../shared/contracts/kernel/scopes.ts";
import { preflightHeaders, readableByScripts } from "../../http/cross-origin.ts";
import type { IdentityContext } from "../accounts/context.ts";
import { recordUse } from "../grants/grants.ts";

/** Public apps in browsers call these. Pages, and the addresses of the service itself, stay closed to scripts. */
const openPaths = /^\/(\.well-known\/[\w-]+|jwks|register|token|revoke|userinfo)$/;

/** Lets scripts of any site call what a public app needs (CORS), without cookies. */
export async function letScriptsCall(ctx: Context, next: Next): Promise<void> {
  if (!openPaths.test(ctx.path)) return next();
  const isPreflight = ctx.method === "OPTIONS" && ctx.get("access-control-request-method");
  ctx.set(isPreflight ? preflightHeaders(ctx.get("access-control-request-headers")) : readableByScripts);
  if (!isPreflight) return next();
  ctx.status = 204;
}

/** Lists the scopes of the service in the metadata, beside those of sign-in (RFC 8414 §2). */
export async function listScopes(ctx: Context, next: Next): Promise<void> {
  await next();
  if (ctx.path.startsWith("/.well-known/") && isRecord(ctx.body)) {
    ctx.body.scopes_supported = [allScopes, ctx.body.scopes_supported].flat();
  }
}

/**
 * Completes introspection (RFC 7662 §2.2). `jti` is the id of the connection, because the action log, the page of
 * tokens and an app's limits need an id that survives a refresh. A token has no scope that its connection has lost.
 */
export function describeToken({ pool }: Pick<IdentityContext, "pool">) {
  return async (ctx: Context & Partial<KoaContextWithOIDC>, next: Next): Promise<void> => {
    await next();
    const body: unknown = ctx.body;
    if (ctx.path !== "/introspect" || !isRecord(body) || body.active !== true) return;
    const grantId = ctx.oidc?.entities.AccessToken?.grantId;
    const use = grantId === undefined ? undefined : await recordUse(pool, grantId);
    if (!use) {
      ctx.body = { active: false };
      return;
    }
    const scope = stillAllowed(body.scope, use.scope);
    ctx.body = {
      ...body,
      scope,
      jti: grantId,
      client_name: use.clientName,
      zoneinfo: use.timeZone ?? undefined,
    };
  };
}

/** Removes the service's scopes that the grant no longer allows. */
function stillAllowed(scope: unknown, granted: string | null): string | undefined {
  if (typeof scope !== "string") return undefined;
  const allowed = (granted ?? "").split(" ");
  const left = scope.split(" ").filter((word) => !isScope(word) || allowed.includes(word));
  return left.join(" ") || undefined;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Buffer.isBuffer(value);
}
