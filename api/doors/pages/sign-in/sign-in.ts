import * as oidc from "openid-client";
import { safeNext, seeOther } from "../../../web/redirect.ts";
import type { Guest, PagesContext, Session } from "../session/context.ts";
import { type SealedCookie, sealedCookie } from "../session/sealed-cookie.ts";
import { sessionCookie, takeOver } from "../session/session.ts";
import { type PendingSignIn, type Redeemed, redeem } from "./redeem.ts";
import { failedSignInPage, providerUnavailablePage, startAgainPage } from "./sign-in-failures.ts";

const scope = "openid email profile";
const lifetimeSeconds = 10 * 60;

function attemptCookie({ config, keys }: PagesContext): SealedCookie<PendingSignIn> {
  const secure = config.baseUrl.startsWith("https:");
  return sealedCookie({ name: "kept_sign_in", key: keys.signIn, lifetimeSeconds, secure });
}

/**
 * The address that signs a person in and then leads to `next`; absolute, so that its cookie belongs to BASE_URL.
 * @param proof asks a person who is signed in to prove it again
 */
export function signInAddress(
  { config }: Pick<PagesContext, "config">,
  next: string,
  proof?: "fresh",
): string {
  return `${config.baseUrl}/account/sign-in?${new URLSearchParams({ next, ...(proof && { proof }) })}`;
}

/** A proof this old (s) still counts for five minutes, in which the person can finish what needs it. */
const freshSeconds = 5 * 60;
/** With a limit, however long, the provider says when the person proved who they are (OpenID Connect Core §2). */
const noLimitSeconds = 10 * 365 * 24 * 60 * 60;

/**
 * GET /account/sign-in?next=…: redirects to the sign-in page, or to another provider with PKCE, state and nonce (OpenID
 * Connect Core §3.1).
 */
export async function beginSignIn({ context, site, url }: Guest): Promise<Response> {
  const next = safeNext(site, url.searchParams.get("next"));
  const isAgain = url.searchParams.get("proof") === "fresh";
  if (!context.findProvider)
    return seeOther(`/sign-in?${new URLSearchParams({ next, ...(isAgain && { again: "yes" }) })}`);
  const provider = await context.findProvider().catch((error: Error) => error);
  if (provider instanceof Error) return providerUnavailablePage(context, provider);
  const verifier = oidc.randomPKCECodeVerifier();
  const attempt = {
    state: oidc.randomState(),
    nonce: oidc.randomNonce(),
    verifier,
    next,
    ...(isAgain && { maxAge: freshSeconds }),
  };
  const address = oidc.buildAuthorizationUrl(provider, {
    redirect_uri: `${context.config.baseUrl}/account/callback`,
    scope,
    code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
    state: attempt.state,
    nonce: attempt.nonce,
    max_age: String(attempt.maxAge ?? noLimitSeconds),
  });
  return seeOther(address.href, [await attemptCookie(context).seal(attempt)]);
}

/** GET /account/callback: the provider sent the person back. */
export async function finishSignIn({ context, request, url }: Guest): Promise<Response> {
  const attempt = await attemptCookie(context).open(request);
  if (!attempt) return startAgainPage(context, "This sign-in took too long or was finished already.");
  const redeemed = await context
    .findProvider?.()
    .then((provider) => redeem(context, provider, attempt, url))
    .catch((error) => failedSignInPage(context, error));
  if (redeemed === undefined) return seeOther("/account");
  if (redeemed instanceof Response) return redeemed;
  const { claims } = redeemed;
  const session = sessionOf(redeemed);
  if (!session) return startAgainPage(context, "This account was deleted.");
  const { iat, zoneinfo } = claims;
  const zone = typeof zoneinfo === "string" ? { name: zoneinfo, issuedAt: iat } : undefined;
  await takeOver({ context, session, request }, zone);
  return seeOther(attempt.next, [await sessionCookie(context).seal(session), attemptCookie(context).clear()]);
}

/** A longer ID token would not fit into a cookie of 4096 characters; without it the provider asks at sign-out. */
const maxIdToken = 1_800;

function sessionOf({ claims, idToken, generation }: Redeemed): Session | undefined {
  if (generation === undefined) return undefined;
  const { sub, email, email_verified, iat, auth_time } = claims;
  const known = typeof email === "string" && { email, email_verified: email_verified === true };
  const hint = idToken !== undefined && idToken.length <= maxIdToken && { id_token: idToken };
  // Both times are by the provider's clock.
  const proven_at = Math.floor(Date.now() / 1_000) - (iat - (auth_time ?? 0));
  return { sub, sid: crypto.randomUUID(), generation, proven_at, ...known, ...hint };
}
