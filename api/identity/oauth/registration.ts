import type { Context, Next } from "koa";
import { type Configuration, errors } from "oidc-provider";
import Format from "typebox/format";
import "../../../shared/contracts/text.ts";
import { printable } from "../../../shared/domain/printable.ts";
import type { Throttle } from "../accounts/throttle.ts";

const loopbackHosts = new Set(["localhost", "127.0.0.1", "[::1]"]);
const maxName = 100;
/** Anybody may register, and what they send is kept for a day. */
const maxMetadata = 4_096;

/**
 * What an app may say of itself when it registers (RFC 7591). Its `scope` is dropped, because it would forbid every
 * later step-up; redirect addresses are https, loopback or an app's own scheme (OAuth 2.1 §2.3.1, RFC 8252 §7).
 */
export const registrationPolicy: Configuration["extraClientMetadata"] = {
  // The hook runs once for each name listed here; this one is never sent or stored.
  properties: ["kept_policy"],
  validator(ctx, _name, _value, metadata) {
    if (ctx?.oidc.route !== "registration") return;
    delete metadata.scope;
    if (metadata.token_endpoint_auth_method === "none") {
      delete metadata.client_secret;
      delete metadata.client_secret_expires_at;
    }
    const { client_name: name, redirect_uris: addresses } = metadata;
    if (JSON.stringify(metadata).length > maxMetadata) {
      throw new errors.InvalidClientMetadata(`client metadata must be at most ${maxMetadata} characters`);
    }
    if (typeof name === "string" && (name.length > maxName || !Format.Test("line", name))) {
      throw new errors.InvalidClientMetadata(`client_name must be one line of at most ${maxName} characters`);
    }
    if (textsIn(metadata).some((text) => printable(text) !== text)) {
      throw new errors.InvalidClientMetadata("client metadata must be printable text");
    }
    if (Array.isArray(addresses) && addresses.some(isUnprotected)) {
      throw new errors.InvalidRedirectUri("http redirect_uris must be on a loopback address");
    }
    if (Array.isArray(addresses) && addresses.some(isMisleading)) {
      throw new errors.InvalidRedirectUri(
        "redirect_uris must not look like a scheme that browsers run or open",
      );
    }
  },
};

/** Every text of the metadata: Postgres cannot store all of them, and people read some of them. */
function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

function isUnprotected(address: unknown): boolean {
  const url = typeof address === "string" ? URL.parse(address) : null;
  return url?.protocol === "http:" && !loopbackHosts.has(url.hostname);
}

/** `javascript.x:` is an app's own scheme by the letter, and reads like something else. */
function isMisleading(address: unknown): boolean {
  const scheme = typeof address === "string" ? URL.parse(address)?.protocol : undefined;
  return scheme !== undefined && browserSchemes.test(scheme);
}

const browserSchemes = /^(about|blob|data|file|filesystem|javascript|vbscript|view-source)[:.+-]/;

/** Registration is open to anyone, so it is slowed down for everyone. */
export function throttleRegistrations(throttle: Throttle) {
  return async (ctx: Context, next: Next): Promise<void> => {
    if (ctx.method !== "POST" || ctx.path !== "/register") return next();
    const wait = await throttle.registration(ctx.ip);
    if (wait === 0) return next();
    ctx.status = 429;
    ctx.set("Retry-After", String(wait));
    ctx.body = { error: "temporarily_unavailable", error_description: "too many registrations, try later" };
  };
}
