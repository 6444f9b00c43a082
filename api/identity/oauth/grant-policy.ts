import {
  errors,
  type Grant,
  interactionPolicy,
  type KoaContextWithOIDC,
  type ResourceServer,
} from "oidc-provider";
import { allScopes, isScope } from "../../../shared/contracts/kernel/scopes.ts";
import type { IdentityContext } from "../accounts/context.ts";
import { findGrantId } from "../grants/grants.ts";
import { type Resources, scopesOf } from "../grants/resources.ts";

/** Asks for consent at every connection of an app, because anybody may have sent the person here (RFC 9700 §2.1). */
export function askForConsent(): interactionPolicy.DefaultPolicy {
  const { Check, base } = interactionPolicy;
  const policy = base();
  const check = new Check(
    "every_connection_asks",
    "the person must agree",
    "interaction_required",
    ({ oidc }) => !oidc.result?.consent,
  );
  policy.get("consent")?.checks.add(check);
  return policy;
}

/** @returns the default resource of a request that names none (RFC 8707 §2); undefined for a mere sign-in */
export function defaultResource(
  resources: Resources,
  { oidc }: KoaContextWithOIDC,
  oneOf: readonly string[] | undefined,
): string | undefined {
  if (oneOf) return oneOf.find((id) => resources.audience(id) === resources.byDefault) ?? oneOf[0];
  return [...oidc.requestParamScopes].some(isScope) ? resources.byDefault : undefined;
}

/** Describes the tokens for a resource. They are opaque, so that revoking one takes effect. */
export function resourceServer(resources: Resources, identifier: string): ResourceServer {
  const audience = resources.audience(identifier);
  if (audience === undefined) throw new errors.InvalidTarget("unknown resource");
  return { audience, scope: allScopes.join(" "), accessTokenFormat: "opaque" };
}

/**
 * Loads the app's earlier grant for an authorization request, so that a person has one connection per app. After
 * consent the token gets exactly what was ticked: less than the app requested, or more, because a step-up also
 * offers what the app had before.
 */
export async function loadGrant(
  { pool }: Pick<IdentityContext, "pool">,
  { oidc }: KoaContextWithOIDC,
): Promise<Grant | undefined> {
  const { client, session, result, params, provider } = oidc;
  const accountId = session?.accountId;
  if (!client || !params || !accountId) return undefined;
  const id = result?.consent?.grantId ?? (await findGrantId(pool, accountId, client.clientId));
  const grant = id === undefined ? undefined : await provider.Grant.find(id);
  if (grant && result?.consent) {
    params.scope = [...oidc.requestParamOIDCScopes, ...scopesOf(grant)].join(" ");
  }
  return grant;
}
