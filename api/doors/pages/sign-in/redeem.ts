import * as oidc from "openid-client";
import type { PagesContext } from "../session/context.ts";
import { sessionGeneration } from "../session/session.ts";

/** A sign-in under way: the values that the provider must send back, and the page to go on to. */
export type PendingSignIn = {
  state: string;
  nonce: string;
  verifier: string;
  next: string;
  /** The greatest age (s) of the person's proof. */
  maxAge?: number;
};

/** The provider's claims about the person, and the generation of their new session. */
export type Redeemed = Readonly<{
  claims: oidc.IDToken;
  idToken: string | undefined;
  generation: number | undefined;
}>;

/** Exchanges the code for the provider's claims about the person. */
export async function redeem(
  context: PagesContext,
  provider: oidc.Configuration,
  attempt: PendingSignIn,
  url: URL,
): Promise<Redeemed> {
  const { state, nonce, verifier, maxAge } = attempt;
  const callback = new URL(`${context.config.baseUrl}/account/callback${url.search}`);
  const tokens = await oidc.authorizationCodeGrant(provider, callback, {
    pkceCodeVerifier: verifier,
    expectedState: state,
    expectedNonce: nonce,
    idTokenExpected: true,
    ...(maxAge !== undefined && { maxAge }),
  });
  const claims = tokens.claims();
  if (!claims) throw new Error("The provider sent no ID token.");
  // The generation is read before the provider is asked again, so that a password changed in between ends this session.
  const generation = await sessionGeneration(context, claims.sub);
  const profile = await userInfo(provider, tokens.access_token, claims.sub);
  return { claims: { ...profile, ...claims }, idToken: tokens.id_token, generation };
}

/** Many providers give the e-mail address only at this endpoint (OpenID Connect Core §5.3). */
async function userInfo(provider: oidc.Configuration, token: string, sub: string): Promise<object> {
  if (provider.serverMetadata().userinfo_endpoint === undefined) return {};
  return oidc.fetchUserInfo(provider, token, sub);
}
