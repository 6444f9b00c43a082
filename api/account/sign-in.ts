import * as oidc from "openid-client";
import type { Account } from "./account.ts";
import { message, seeOther } from "./respond.ts";
import { type SealedCookie, sealedCookie } from "./sealed-cookie.ts";
import { type Session, sessionCookie } from "./session.ts";

const scope = "openid email profile";
const lifetimeSeconds = 10 * 60;

/** What must come back from the provider unchanged, and where the person wanted to go. */
type Attempt = { state: string; nonce: string; verifier: string; next: string };

function attemptCookie({ config, keys }: Account): SealedCookie<Attempt> {
  const secure = config.baseUrl.startsWith("https:");
  return sealedCookie({ name: "kept_sign_in", key: keys.signIn, lifetimeSeconds, secure });
}

/** The address that signs a person in and then leads to `next`; absolute, so that its cookie is BASE_URL's. */
export function signInAddress({ config }: Pick<Account, "config">, next: string): string {
  return `${config.baseUrl}/account/sign-in?${new URLSearchParams({ next })}`;
}

/** GET /account/sign-in?next=…: off to the provider, with PKCE, state and nonce (OpenID Connect Core §3.1). */
export async function beginSignIn(account: Account, _request: Request, url: URL): Promise<Response> {
  const provider = await account.findProvider().catch((error) => error as Error);
  if (provider instanceof Error) return providerAway(account, provider);
  const verifier = oidc.randomPKCECodeVerifier();
  const attempt = {
    state: oidc.randomState(),
    nonce: oidc.randomNonce(),
    verifier,
    next: safeNext(account, url),
  };
  const address = oidc.buildAuthorizationUrl(provider, {
    redirect_uri: `${account.config.baseUrl}/account/callback`,
    scope,
    code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
    state: attempt.state,
    nonce: attempt.nonce,
  });
  return seeOther(address.href, [await attemptCookie(account).seal(attempt)]);
}

/** A page of ours to go on to, never another site's address. */
function safeNext({ config }: Account, url: URL): string {
  const next = URL.parse(url.searchParams.get("next") ?? "", config.baseUrl);
  const isOurs = next?.origin === new URL(config.baseUrl).origin && /^\/account(\/|$)/.test(next.pathname);
  return isOurs && next ? `${next.pathname}${next.search}` : "/account";
}

/** GET /account/callback: the provider sent the person back. */
export async function finishSignIn(account: Account, request: Request, url: URL): Promise<Response> {
  const attempt = await attemptCookie(account).open(request);
  if (!attempt) return again(account, "This sign-in took too long or was finished already.");
  try {
    const session = await redeem(account, attempt, url);
    const cookies = [await sessionCookie(account).seal(session), attemptCookie(account).clear()];
    return seeOther(attempt.next, cookies);
  } catch (error) {
    if (error instanceof oidc.AuthorizationResponseError) return again(account, "The sign-in was cancelled.");
    if (isWrongAnswer(error))
      return again(account, "This sign-in is not the one that you started here last.");
    return providerAway(account, error as Error);
  }
}

/** Exchanges the code, and takes over the zone and the e-mail address that the provider tells. */
async function redeem(account: Account, attempt: Attempt, url: URL): Promise<Session> {
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
  const { sub, iat } = idToken;
  const told = { ...(await userInfo(provider, tokens.access_token, sub)), ...idToken };
  const zone = typeof told.zoneinfo === "string" ? { name: told.zoneinfo, issuedAt: iat } : undefined;
  await account.adoptZone({ userId: sub, zone });
  return {
    sub,
    sid: crypto.randomUUID(),
    ...(typeof told.email === "string" && {
      email: told.email,
      email_verified: told.email_verified === true,
    }),
  };
}

/** Many providers tell the e-mail address only here (OpenID Connect Core §5.3). */
async function userInfo(provider: oidc.Configuration, token: string, sub: string): Promise<object> {
  if (provider.serverMetadata().userinfo_endpoint === undefined) return {};
  return oidc.fetchUserInfo(provider, token, sub);
}

/** Not what was asked for, or a code that was used before: the person's browser, not the provider, is at fault. */
function isWrongAnswer(error: unknown): boolean {
  if (error instanceof oidc.ResponseBodyError) return error.error === "invalid_grant";
  return error instanceof oidc.ClientError && wrongAnswers.includes(error.code ?? "");
}

const wrongAnswers = [
  "OAUTH_INVALID_RESPONSE",
  "OAUTH_JWT_CLAIM_COMPARISON_FAILED",
  "OAUTH_JWT_TIMESTAMP_CHECK_FAILED",
];

function again(account: Account, text: string): Response {
  const link = { href: "/account", label: "Sign in again" };
  return message(account, "You are not signed in", text, { status: 400, link });
}

function providerAway(account: Account, error: Error): Response {
  account.log.warn({ reason: error.message }, "the identity provider cannot sign anybody in");
  const text = "The identity provider that signs you in cannot be reached. Your habits and todos are safe.";
  const link = { href: "/account", label: "Try again" };
  return message(account, "Sign-in is away for a moment", text, {
    status: 503,
    headers: { "Retry-After": "5" },
    link,
  });
}
