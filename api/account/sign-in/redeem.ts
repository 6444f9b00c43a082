import * as oidc from "openid-client";
import type { PagesContext } from "../visit/context.ts";
import { sessionGeneration } from "../visit/session.ts";

/** What must come back from the provider unchanged, and where the person wanted to go. */
export type PendingSignIn = { state: string; nonce: string; verifier: string; next: string };

/** What the provider tells of the person, and the generation that a session of theirs belongs to. */
export type Redeemed = Readonly<{
  claims: oidc.IDToken;
  idToken: string | undefined;
  generation: number | undefined;
}>;

/** Exchanges the code for what the provider tells of the person. */
export async function redeem(context: PagesContext, attempt: PendingSignIn, url: URL): Promise<Redeemed> {
  const provider = await context.findProvider();
  const { state, nonce, verifier } = attempt;
  const callback = new URL(`${context.config.baseUrl}/account/callback${url.search}`);
  const tokens = await oidc.authorizationCodeGrant(provider, callback, {
    pkceCodeVerifier: verifier,
    expectedState: state,
    expectedNonce: nonce,
    idTokenExpected: true,
  });
  const claims = tokens.claims();
  if (!claims) throw new Error("The provider sent no ID token.");
  // Before the provider is asked again: a new password in between ends the token that it is asked with.
  const generation = await sessionGeneration(context, claims.sub);
  const told = await userInfo(provider, tokens.access_token, claims.sub);
  return { claims: { ...told, ...claims }, idToken: tokens.id_token, generation };
}

/** Many providers tell the e-mail address only here (OpenID Connect Core §5.3). */
async function userInfo(provider: oidc.Configuration, token: string, sub: string): Promise<object> {
  if (provider.serverMetadata().userinfo_endpoint === undefined) return {};
  return oidc.fetchUserInfo(provider, token, sub);
}
