import { isWeb, readAddress } from "../../../shared/domain/outside-address.ts";
import type { ProviderContext } from "../accounts/context.ts";
import { documentHost } from "../grants.ts";

/** The path of an interaction: an authorization request that waits for its person. */
export const interactionPath = /^\/interaction\/(?<uid>[\w-]{1,64})$/;

/** The authorization request at `next`: the app's own name, or the host of its document, and where its answer goes. */
type WaitingRequest = Readonly<{ app: string; isNamed: boolean; redirectUri: unknown }>;

export function authorizePath(params: Readonly<Record<string, unknown>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) {
    for (const one of [value ?? []].flat()) query.append(name, String(one));
  }
  return `/authorize?${query}`;
}

/** Finds the authorization request that a form leads to, if there is one. */
export async function findRequest(
  { provider }: Pick<ProviderContext, "provider">,
  next: string,
): Promise<WaitingRequest | undefined> {
  const { client_id, redirect_uri } = await paramsAt(provider, next);
  if (typeof client_id !== "string") return undefined;
  // The document is read once the person is signed in.
  const host = documentHost(client_id);
  if (host) return { app: host, isNamed: false, redirectUri: undefined };
  const client = await provider.Client.find(client_id);
  // Anybody can send people to an address with a request of their own making.
  if (!client?.redirectUriAllowed(String(redirect_uri))) return undefined;
  return { app: client.clientName ?? "an app without a name", isNamed: true, redirectUri: redirect_uri };
}

async function paramsAt(
  { Interaction }: ProviderContext["provider"],
  next: string,
): Promise<Readonly<Record<string, unknown>>> {
  if (next.startsWith("/authorize?")) return Object.fromEntries(new URLSearchParams(next.split("?")[1]));
  const uid = interactionPath.exec(next)?.groups?.uid;
  return (uid && (await Interaction.find(uid))?.params) || {};
}

/** The form-action sources for a form that leads to a waiting request, because the app's address follows. */
export const formTargetsOf = (request: WaitingRequest | undefined): string[] =>
  typeof request?.redirectUri === "string" ? formSource(request.redirectUri) : [];

/** The form-action sources for a form that leads to `next`, where an app may wait for the redirect. */
export const formTargets = async (identity: ProviderContext, next: string): Promise<string[]> =>
  formTargetsOf(await findRequest(identity, next));

/** The form-action source that matches an address (CSP 3 §2.3.1, which has no syntax for IPv6 hosts). */
export function formSource(address: string): string[] {
  const url = readAddress(address);
  if (!url) return [];
  return [isWeb(url) && !url.hostname.startsWith("[") ? url.origin : url.protocol];
}
