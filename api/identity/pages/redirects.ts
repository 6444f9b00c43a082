import type { IdentityContext } from "../accounts/context.ts";

/** The path of an interaction: an authorization request that waits for its person. */
export const interactionPath = /^\/interaction\/(?<uid>[\w-]{1,64})$/;

/** The form-action sources for a form that leads to `next`, where an app may wait for the redirect. */
export async function formTargets({ provider }: IdentityContext, next: string): Promise<string[]> {
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
