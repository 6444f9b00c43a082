import type { Identity } from "../accounts/context.ts";

/** The page of an interaction: where an authorization request waits for its person. */
export const interactionPath = /^\/interaction\/(?<uid>[\w-]{1,64})$/;

/** A path on this server to go on to, or the account's first page: never another site's address. */
export function safeNext(identity: Pick<Identity, "config">, next: string | null | undefined): string {
  const home = "/profile/api-tokens";
  if (!next) return home;
  const { authUrl } = identity.config;
  const url = URL.parse(next, authUrl);
  if (url?.origin !== new URL(authUrl).origin) return home;
  // `/.//host` is a path of ours whose own text, `//host`, names another site.
  return url.pathname.startsWith("//") ? home : `${url.pathname}${url.search}`;
}

/** Where the redirects may end that follow a form leading to `next`: at the app that waits there. */
export async function formTargets({ provider }: Identity, next: string): Promise<string[]> {
  const uid = interactionPath.exec(next)?.groups?.uid;
  const interaction = uid === undefined ? undefined : await provider.Interaction.find(uid);
  const target = interaction?.params.redirect_uri;
  return typeof target === "string" ? formSource(target) : [];
}

/** The form-action source that matches an address (CSP 3 §2.3.1, which has no syntax for IPv6 hosts). */
export function formSource(address: string): string[] {
  const url = URL.parse(address);
  if (!url) return [];
  const isWeb = url.protocol === "https:" || url.protocol === "http:";
  return [isWeb && !url.hostname.startsWith("[") ? url.origin : url.protocol];
}
