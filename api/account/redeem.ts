import * as oidc from "openid-client";
import type { Account } from "./account.ts";

/** What must come back from the provider unchanged, and where the person wanted to go. */
export type Attempt = { state: string; nonce: string; verifier: string; next: string };

/** Exchanges the code for what the provider tells of the person. */
export async function redeem(account: Account, attempt: Attempt, url: URL): Promise<oidc.IDToken> {
  const provider = await account.findProvider();
  const { state, nonce, verifier } = attempt;
  const callback = new URL(`${account.config.baseUrl}/account/callback${url.search}`);
  const tokens = await oidc.authorizationCodeGrant(provider, callback, {
    pkceCodeVerifier: verifier,
    expectedState: state,
    expectedNonce: nonce,
    idTokenExpected: true,
  });
  const idToken = tokens.claims();
  if (!idToken) throw new Error("The provider sent no ID token.");
  return { ...(await userInfo(provider, tokens.access_token, idToken.sub)), ...idToken };
}

/** Many providers tell the e-mail address only here (OpenID Connect Core §5.3). */
async function userInfo(provider: oidc.Configuration, token: string, sub: string): Promise<object> {
  if (provider.serverMetadata().userinfo_endpoint === undefined) return {};
  return oidc.fetchUserInfo(provider, token, sub);
}
