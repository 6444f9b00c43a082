import { hash } from "node:crypto";
import type { Actor } from "../../shared/actor.ts";
import type { IdentityClient } from "../../shared/db/identity-client.ts";
import { isMistypedToken } from "../../shared/domain/token-format.ts";
import { type Refused, refuse } from "../../shared/errors.ts";
import type { Config } from "../../shared/process/config.ts";
import type { Log } from "../../shared/process/log.ts";
import { seldom } from "../../shared/process/seldom.ts";
import { actorOf, type Claims } from "./claims.ts";
import { introspect } from "./introspect.ts";
import { createJwtVerifier, looksLikeJwt } from "./jwt.ts";
import { makeRoom } from "./make-room.ts";
import { discoverProvider, ProviderUnavailable } from "./provider.ts";

/** Turns the Authorization header into the caller, or into the refusal that the caller gets. */
export type Authenticate = (authorization: string | null) => Promise<Readonly<{ actor: Actor }> | Refused>;

type Authenticator = Readonly<{
  authenticate: Authenticate;
  /** The user of a token that was checked lately; nothing is asked for it. */
  knownUser(authorization: string | null): string | undefined;
}>;

type Options = Readonly<{
  config: Pick<
    Config,
    "authUrl" | "authInternalUrl" | "authAudience" | "authJwtTyp" | "builtInIdentity" | "tokenCacheSeconds"
  >;
  client: IdentityClient | undefined;
  log: Log;
  /** Called whenever a token was checked, before the token counts as known. */
  onChecked(actor: Actor): Promise<void>;
  /** Whether a token was revoked at this door, which no check that began before can know. */
  isRevoked(actor: Actor): boolean;
}>;

/** A token that was checked, until when that is trusted, and from when its next use has it checked again (epoch ms). */
type Known = Readonly<{ actor: Actor; until: number; askAgainFrom: number }>;
type Check = Readonly<{ since: number; result: Promise<Known | undefined> }>;

const maxTokenLength = 8_192;
const maxKnown = 10_000;
/** In parts of TOKEN_CACHE_SECONDS; by chance, so that tokens which came together are not asked about together for ever. */
const askAgain = { from: 0.7, to: 0.9 };

/**
 * Known tokens are trusted for TOKEN_CACHE_SECONDS but not past their expiry. One in steady use is checked again before
 * that, so that none of its requests waits for the provider. They are stored under their hash only.
 */
export function createAuthenticator(options: Options): Authenticator {
  const known = new Map<string, Known>();
  const underWay = new Map<string, Check>();
  const check = createCheck(options);
  const sayAway = seldom((reason: string) => options.log.warn({ reason }, "the identity provider is away"));
  const shareMs = options.config.tokenCacheSeconds * 1000;

  /** Requests share a check that is under way, but not for longer than its result would be trusted. */
  function checkOnce(token: string, tokenHash: string): Promise<Known | undefined> {
    const running = underWay.get(tokenHash);
    if (running && Date.now() - running.since < shareMs) return running.result;
    const result = check(token, tokenHash).then(remember).finally(forget);
    const started: Check = { since: Date.now(), result };
    underWay.set(tokenHash, started);
    return result;

    function remember(found: Known | undefined) {
      known.delete(tokenHash);
      if (!found) return undefined;
      makeRoom(known, maxKnown).set(tokenHash, found);
      return found;
    }
    function forget() {
      if (underWay.get(tokenHash) === started) underWay.delete(tokenHash);
    }
  }

  /** Once for each check. What fails is told to the next request that has to wait for a check. */
  function checkAhead(token: string, tokenHash: string, cached: Known): void {
    known.set(tokenHash, { ...cached, askAgainFrom: cached.until });
    checkOnce(token, tokenHash).catch(() => {});
  }

  const unlessRevoked = (found: Known | undefined) =>
    found && !options.isRevoked(found.actor) ? found : invalidToken;

  async function authenticate(authorization: string | null) {
    if (authorization === null) return refuse("unauthenticated", "This request needs an access token.");
    const token = tokenIn(authorization);
    if (token === undefined || token.length > maxTokenLength) return invalidToken;
    if (options.config.builtInIdentity && isMistypedToken(token)) return invalidToken;
    const tokenHash = hash("sha256", token);
    const cached = known.get(tokenHash);
    const now = Date.now();
    if (cached && cached.until > now) {
      if (cached.askAgainFrom <= now) checkAhead(token, tokenHash, cached);
      return unlessRevoked(cached);
    }
    known.delete(tokenHash);
    try {
      return unlessRevoked(await checkOnce(token, tokenHash));
    } catch (error) {
      if (!(error instanceof ProviderUnavailable)) throw error;
      sayAway(error.message);
      return providerAway;
    }
  }

  return {
    authenticate,
    knownUser(authorization) {
      const token = authorization === null ? undefined : tokenIn(authorization);
      const found = token === undefined ? undefined : known.get(hash("sha256", token));
      return found && found.until > Date.now() ? found.actor.userId : undefined;
    },
  };
}

const tokenIn = (authorization: string): string | undefined =>
  /^bearer ([\x21-\x7e]+)$/i.exec(authorization)?.[1];

const invalidToken = refuse("unauthenticated", "The access token is not valid, has expired or was revoked.");
const providerAway = refuse("overloaded", "The identity provider cannot be reached. Please try again.", {
  applied: "no",
  retryAfterSeconds: 5,
});

function createCheck({ config, client, log, onChecked }: Options) {
  const discover = discoverProvider(config);
  const verifyJwt = createJwtVerifier(config, maxKnown);
  let hasWarned = false;

  async function findProvider() {
    const provider = await discover();
    if (client === undefined && provider.introspectionEndpoint !== undefined && !hasWarned) {
      hasWarned = true;
      log.warn("AUTH_CLIENT_ID is not set: the identity provider is not asked whether a JWT was revoked");
    }
    return provider;
  }
  // Warns at the start, where operators look. A provider that is down then is discovered with the first token.
  if (client === undefined) findProvider().catch(() => {});

  /** JWTs are introspected too when the provider offers it, because a signature does not show a revocation. */
  async function claimsOf(token: string, tokenHash: string): Promise<Claims | undefined> {
    const provider = await findProvider();
    const isJwt = looksLikeJwt(token);
    const verified = isJwt ? await verifyJwt(token, tokenHash, provider) : undefined;
    if (isJwt && !verified) return undefined;
    const { issuer, introspectionEndpoint } = provider;
    if (introspectionEndpoint === undefined || client === undefined) return verified;
    const answer = await introspect(token, { issuer, introspectionEndpoint }, client, config.authAudience);
    return answer === "unsupported" ? verified : answer && { ...verified, ...answer };
  }

  return async (token: string, tokenHash: string): Promise<Known | undefined> => {
    // Counted from before the question, because the token may be revoked while the provider's answer is on its way.
    const [asked, cacheMs] = [Date.now(), config.tokenCacheSeconds * 1000];
    const cachedUntil = asked + cacheMs;
    const claims = await claimsOf(token, tokenHash);
    const actor = claims && actorOf(claims, tokenHash);
    if (!claims || !actor) return undefined;
    await onChecked(actor);
    const expires = typeof claims.exp === "number" ? claims.exp * 1000 : cachedUntil;
    const { from, to } = askAgain;
    const askAgainFrom = asked + cacheMs * (from + (to - from) * Math.random());
    return { actor, until: Math.min(cachedUntil, expires), askAgainFrom };
  };
}
