import type { Context, Next } from "koa";
import { allScopes } from "../../../shared/contracts/kernel/scopes.ts";

/** Lists the scopes of the service in the metadata, beside those of sign-in (RFC 8414 §2). */
export async function listScopes(ctx: Context, next: Next): Promise<void> {
  await next();
  if (ctx.path.startsWith("/.well-known/") && isRecord(ctx.body)) {
    ctx.body.scopes_supported = [allScopes, ctx.body.scopes_supported].flat();
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Buffer.isBuffer(value);
}
