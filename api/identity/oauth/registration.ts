import type { Context, Next } from "koa";
import { type Configuration, errors } from "oidc-provider";
import { isSafe, readAddress } from "../../../shared/domain/outside-address.ts";
import { printable } from "../../http/input.ts";
import type { Throttle } from "../accounts/throttle.ts";
import { documentHost } from "../grants.ts";

const maxName = 100;
/** Anybody may register, and the metadata stays for at least a day, so its size is limited. */
const maxMetadata = 4_096;

/**
 * Checks the metadata that an app registers (RFC 7591) or has at its address. Empty members count as absent. `scope` is
 * dropped, because it would forbid every later step-up. Redirect addresses are https, loopback or an app's own scheme
 * (OAuth 2.1 §2.3.1, RFC 8252 §7).
 */
export const registrationPolicy: Configuration["extraClientMetadata"] = {
  // The hook runs once for each name in this list. This name only makes it run; it is never sent or stored.
  properties: ["kept_policy"],
  validator(ctx, _name, _value, metadata) {
    const isDocument = documentHost(String(metadata.client_id)) !== undefined;
    if (ctx?.oidc.route !== "registration" && !isDocument) return;
    if (isDocument && readAddress(metadata.client_id)?.href !== metadata.client_id)
      throw new errors.InvalidClientMetadata("client_id must be an address in its normal form");
    delete metadata.scope;
    for (const [name, value] of Object.entries(metadata))
      if (value === null || value === "") delete metadata[name];
    if ((metadata.token_endpoint_auth_method ?? "none") === "none") {
      delete metadata.client_secret;
      delete metadata.client_secret_expires_at;
    }
    const { client_name: name, redirect_uris: addresses } = metadata;
    if (typeof name === "string") metadata.client_name = shownName(name) || undefined;
    if (JSON.stringify(metadata).length > maxMetadata) {
      throw new errors.InvalidClientMetadata(`client metadata must be at most ${maxMetadata} characters`);
    }
    if (textsIn(metadata).some((text) => printable(text) !== text)) {
      throw new errors.InvalidClientMetadata("client metadata must be printable text");
    }
    const urls = Array.isArray(addresses)
      ? addresses.filter((one) => typeof one === "string").flatMap((one) => readAddress(one) ?? [])
      : [];
    for (const { isSo, problem } of refusedAddresses)
      if (urls.some(isSo)) throw new errors.InvalidClientMetadata(problem);
  },
};

/** People read the name, so it is one short line that runs in one direction. */
const shownName = (name: string): string =>
  name
    .slice(0, maxName)
    .replace(/[\s\p{C}]+/gu, " ")
    .trim();

/** All strings in the metadata: some cannot be stored, and some are shown to people. */
function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

const browserSchemes = /^(about|blob|data|file|filesystem|javascript|vbscript|view-source)[:.+-]/;

const refusedAddresses = [
  {
    isSo: (url: URL) => url.protocol === "http:" && !isSafe(url),
    problem: "redirect_uris with http must be on a loopback address; use https elsewhere",
  },
  {
    // Content-Security-Policy gives a wildcard or a semicolon in a host a meaning of its own.
    isSo: ({ protocol, hostname }: URL) => protocol === "https:" && /[^\w.:[\]-]/.test(hostname),
    problem: "redirect_uris must name one host",
  },
  {
    // `javascript.x:` is a valid scheme of an app, but looks like one that a browser runs.
    isSo: ({ protocol }: URL) => browserSchemes.test(protocol),
    problem: "redirect_uris must not look like a scheme that browsers run or open",
  },
];

export function throttleRegistrations(throttle: Throttle) {
  return async (ctx: Context, next: Next): Promise<void> => {
    if (ctx.method !== "POST" || ctx.path !== "/register") return next();
    const wait = await throttle.registration(ctx.ip, ctx.get("origin"));
    if (wait === 0) return next();
    ctx.status = 429;
    ctx.set("Retry-After", String(wait));
    ctx.body = { error: "temporarily_unavailable", error_description: "too many registrations, try later" };
  };
}
