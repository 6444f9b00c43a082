import type * as oidc from "openid-client";
import type { Config } from "../../../../shared/process/config.ts";
import { discoveryMaxAgeMs, rememberFor } from "../../../auth/provider.ts";
import { takeForm } from "../../../web/form/form.ts";
import { message } from "../../../web/page.ts";
import { safeNext, seeOther } from "../../../web/redirect.ts";
import type { Guest, PagesContext, Session, Visit } from "../session/context.ts";
import { sealedCookie } from "../session/sealed-cookie.ts";
import { sessionCookie, sessionGeneration, takeOver, visitOf } from "../session/session.ts";
import { submit } from "../session/submit.ts";

/** Loaded only where another provider signs people in. */
const openIdClient = () => import("openid-client");

const scope = "openid email profile";
const lifetimeSeconds = 10 * 60;

const attemptCookie = (context: PagesContext) =>
  sealedCookie<PendingSignIn>(context, "signIn", lifetimeSeconds);

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
  const oidc = await openIdClient();
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

function sessionOf({ claims, idToken, generation }: Awaited<ReturnType<typeof redeem>>): Session | undefined {
  if (generation === undefined) return undefined;
  const { sub, email, email_verified, iat, auth_time } = claims;
  const known = typeof email === "string" && { email, email_verified: email_verified === true };
  const hint = idToken !== undefined && idToken.length <= maxIdToken && { id_token: idToken };
  // Both times are by the provider's clock.
  const proven_at = Math.floor(Date.now() / 1_000) - (iat - (auth_time ?? 0));
  return { sub, sid: crypto.randomUUID(), generation, proven_at, ...known, ...hint };
}

/** A sign-in under way: the values that the provider must send back, and the page to go on to. */
type PendingSignIn = {
  state: string;
  nonce: string;
  verifier: string;
  next: string;
  /** The greatest age (s) of the person's proof. */
  maxAge?: number;
};

/** Exchanges the code for the provider's claims about the person, and the generation of their new session. */
async function redeem(
  context: PagesContext,
  provider: oidc.Configuration,
  { state, nonce, verifier, maxAge }: PendingSignIn,
  url: URL,
) {
  const { authorizationCodeGrant, fetchUserInfo } = await openIdClient();
  const callback = new URL(`${context.config.baseUrl}/account/callback${url.search}`);
  const tokens = await authorizationCodeGrant(provider, callback, {
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
  // Many providers give the e-mail address only at this endpoint (OpenID Connect Core §5.3).
  const hasMore = provider.serverMetadata().userinfo_endpoint !== undefined;
  const profile = hasMore ? await fetchUserInfo(provider, tokens.access_token, claims.sub) : {};
  const known: oidc.IDToken = { ...profile, ...claims };
  return { claims: known, idToken: tokens.id_token, generation };
}

/** The page for a failed sign-in that the provider sent back. */
async function failedSignInPage(context: PagesContext, error: Error): Promise<Response> {
  const { AuthorizationResponseError, ClientError, ResponseBodyError } = await openIdClient();
  if (error instanceof AuthorizationResponseError)
    return startAgainPage(context, "The sign-in was cancelled.");
  // The answer belongs to another sign-in, or its code was used before: the provider is not at fault.
  const isWrong =
    error instanceof ResponseBodyError
      ? error.error === "invalid_grant"
      : error instanceof ClientError && wrongAnswers.includes(error.code ?? "");
  if (isWrong) return startAgainPage(context, "This sign-in is not the one that you started here last.");
  return providerUnavailablePage(context, error);
}

const wrongAnswers = [
  "OAUTH_INVALID_RESPONSE",
  "OAUTH_JWT_CLAIM_COMPARISON_FAILED",
  "OAUTH_JWT_TIMESTAMP_CHECK_FAILED",
];

function startAgainPage(context: PagesContext, text: string): Response {
  const link = { href: "/account", label: "Sign in again" };
  return message(context.site, "You are not signed in", text, { status: 400, link });
}

function providerUnavailablePage(context: PagesContext, error: Error): Response {
  context.log.warn({ reason: error.message }, "the identity provider cannot sign anybody in");
  const text = "The identity provider that signs you in cannot be reached. Your habits and todos are safe.";
  const link = { href: "/account", label: "Try again" };
  return message(context.site, "Sign-in is away for a moment", text, {
    status: 503,
    headers: { "Retry-After": "5" },
    link,
  });
}

const timeoutSeconds = 3;

/** Discovers the provider at the first sign-in and again every five minutes; a failure is not remembered. */
export function createFindProvider(
  { authUrl }: Pick<Config, "authUrl">,
  { id, secret }: NonNullable<Config["authClient"]>,
): PagesContext["findProvider"] {
  return rememberFor(discoveryMaxAgeMs, async () => {
    const oidc = await openIdClient();
    const extras = [oidc.enableNonRepudiationChecks];
    // An address without TLS is allowed only for a provider on this machine or the operator's private network.
    if (authUrl.startsWith("http:")) extras.push(oidc.allowInsecureRequests);
    const options = { timeout: timeoutSeconds, execute: extras };
    return oidc.discovery(new URL(authUrl), id, undefined, oidc.ClientSecretBasic(secret), options);
  });
}

/**
 * POST /account/sign-out: ends all sessions of these pages, then another provider's if it supports that (RP-Initiated
 * Logout 1.0). An ended session is accepted too, because the provider would renew it. Other browsers signed in at the
 * provider get their sessions back from it.
 */
export async function signOut(guest: Guest): Promise<Response> {
  // The built-in provider takes the same form.
  if (!guest.context.findProvider)
    return new Response(null, { status: 307, headers: { location: "/sign-out" } });
  const session = await sessionCookie(guest.context).open(guest.request);
  // Without the ID token the provider itself asks the person to confirm.
  if (!session) return leaveProvider(guest, undefined);
  const visit = visitOf(guest, session);
  return takeForm<Visit>(endSessions)({ ...visit, askAgain: () => endSessions(visit) });
}

async function endSessions(visit: Visit): Promise<Response> {
  const ended = await submit(visit, "user.end-sessions", {});
  if ("refusal" in ended) {
    visit.context.log.warn({ reason: ended.refusal.message }, "sessions could not be ended");
  }
  return leaveProvider(visit, visit.session);
}

/** Leaves the provider too. With a session, everything that these pages stored in the browser is removed. */
async function leaveProvider(guest: Guest, session: Session | undefined): Promise<Response> {
  const answer = await providerSignOut(guest, session);
  if (session) answer.headers.set("Clear-Site-Data", '"storage"');
  return answer;
}

async function providerSignOut({ context }: Guest, session: Session | undefined): Promise<Response> {
  const cookies = session ? [sessionCookie(context).clear()] : [];
  const provider = await context.findProvider?.().catch(() => undefined);
  if (!provider?.serverMetadata().end_session_endpoint) return signedOutPage({ context, cookies });
  const { buildEndSessionUrl } = await openIdClient();
  const address = buildEndSessionUrl(provider, {
    post_logout_redirect_uri: `${context.config.baseUrl}/account`,
    ...(session?.id_token !== undefined && { id_token_hint: session.id_token }),
  });
  return seeOther(address.href, cookies);
}

function signedOutPage({ context, cookies }: Pick<Guest, "context"> & { cookies: string[] }): Response {
  const [cookie] = cookies;
  if (cookie === undefined) return seeOther("/account");
  const link = { href: "/account", label: "Sign in again" };
  const text = "You are signed out of Kept in this browser.";
  return message(context.site, "Signed out", text, { headers: { "Set-Cookie": cookie }, link });
}
