import { hash } from "node:crypto";
import { type CryptoKey, type JWTPayload, type JWTVerifyResult, jwtVerify } from "jose";
import { LRUCache } from "lru-cache";
import { type Refused, refuse } from "../../shared/errors.ts";
import type { Config } from "../../shared/process/config.ts";
import { type Log, throttled } from "../../shared/process/observe/log.ts";
import type { Actor } from "../mailbox/actor.ts";
import { actorOf, type Claims, type FindClaims } from "./claims.ts";
import { discoverProvider, introspect, type Provider, ProviderUnavailable } from "./provider.ts";

/** A person's token or app. */
export type TokenKey = Pick<Actor, "userId" | "tokenId">;

/** Turns the Authorization header into the caller, or into the refusal that the caller gets. */
export type Authenticate = (authorization: string | null) => Promise<Readonly<{ actor: Actor }> | Refused>;

type Options = Readonly<{
  config: Pick<Config, "authUrl" | "authAudience" | "authClient" | "authJwtTyp" | "tokenCacheSeconds">;
  log: Log;
  /** Finds the claims of the built-in provider's tokens; unset: another provider is asked. */
  findClaims?: FindClaims | undefined;
  /** Called whenever a token was checked, before the token counts as known. */
  onChecked(actor: Actor): Promise<void>;
  maxKnown?: number;
}>;

/** The number of a token's last check, and the time until which it is trusted (epoch ms). */
type Known = Readonly<{ actor: Actor; check: number; until: number }>;

const maxTokenLength = 8_192;
const maxRevoked = 10_000;
/**
 * Refreshes happen at a random share of TOKEN_CACHE_SECONDS between these two, so that refreshes of many tokens
 * spread out.
 */
const refreshAfter = { from: 0.7, to: 0.9 };

/**
 * Known tokens are trusted for TOKEN_CACHE_SECONDS but not past their expiry. A token in steady use is checked again
 * before that, so that none of its requests waits for the provider. Requests share a check that is under way. Tokens are
 * stored under their hash only.
 */
export function createAuthenticator({ maxKnown = 10_000, ...options }: Options) {
  const check = checkBy(options.findClaims ?? askProvider({ maxKnown, ...options }), options.onChecked);
  const sayAway = throttled((reason: string) =>
    options.log.warn({ reason }, "the identity provider is away"),
  );
  let checks = 0;
  // A revoked id never becomes valid again.
  const revoked = new LRUCache<string, true>({ max: maxRevoked });
  const known = new LRUCache<string, Known, string>({
    max: maxKnown,
    ttlResolution: 0,
    perf: Date,
    allowStale: true,
    ignoreFetchAbort: true,
    noDeleteOnFetchRejection: true,
    async fetchMethod(tokenHash, _stale, { context: token, options: entry }) {
      checks += 1;
      const [number, askedAt, cacheMs] = [checks, Date.now(), options.config.tokenCacheSeconds * 1000];
      const found = await check(token, tokenHash);
      // An outage keeps the last known answer; a refusal replaces it.
      entry.noDeleteOnFetchRejection = found !== undefined;
      if (!found) throw new InvalidToken();
      const { from, to } = refreshAfter;
      const refreshAt = askedAt + cacheMs * (from + (to - from) * Math.random());
      entry.ttl = Math.max(1, refreshAt - Date.now());
      // The time counts from before the question, because the token may be revoked while the answer travels.
      return { actor: found.actor, check: number, until: Math.min(askedAt + cacheMs, found.expires) };
    },
  });

  /** A request may share a check that began before it only while the result of that check is trusted. */
  async function findKnown(token: string, tokenHash: string): Promise<Known | undefined> {
    const [now, begun] = [Date.now(), checks];
    let found = await known.fetch(tokenHash, { context: token });
    while (found && found.check <= begun && found.until <= now)
      found = await known.fetch(tokenHash, { context: token, allowStale: false, forceRefresh: true });
    return found;
  }

  const authenticate: Authenticate = async (authorization) => {
    if (authorization === null) return refuse("unauthenticated", "This request needs an access token.");
    const token = tokenIn(authorization);
    if (token === undefined || token.length > maxTokenLength) return invalidToken;
    const tokenHash = hash("sha256", token);
    try {
      const found = await findKnown(token, tokenHash);
      const isRevoked = found && revoked.size > 0 && revoked.has(keyOf(found.actor));
      return found && !isRevoked ? found : invalidToken;
    } catch (error) {
      if (error instanceof InvalidToken) return invalidToken;
      if (!(error instanceof ProviderUnavailable)) throw error;
      sayAway(error.message);
      return providerAway;
    }
  };

  return {
    authenticate,
    /** The user of a token that was checked lately; nothing is asked for it. */
    knownUser(authorization: string | null): string | undefined {
      const token = authorization === null ? undefined : tokenIn(authorization);
      const found = token === undefined ? undefined : known.peek(hash("sha256", token));
      return found && found.until > Date.now() ? found.actor.userId : undefined;
    },
    /** Refuses a revoked token from now on, which no check that began before can know. */
    refuseToken: (token: TokenKey) => void revoked.set(keyOf(token), true),
  };
}

const checkBy =
  (findClaims: FindClaims, onChecked: Options["onChecked"]) => async (token: string, tokenHash: string) => {
    const claims = await findClaims(token, tokenHash);
    const actor = claims && actorOf(claims, tokenHash);
    if (!claims || !actor) return undefined;
    await onChecked(actor);
    return { actor, expires: typeof claims.exp === "number" ? claims.exp * 1000 : Number.POSITIVE_INFINITY };
  };

const keyOf = ({ userId, tokenId }: TokenKey): string => JSON.stringify([userId, tokenId]);

class InvalidToken extends Error {}

const tokenIn = (authorization: string): string | undefined =>
  /^bearer +([\x21-\x7e]+)$/i.exec(authorization)?.[1];

const invalidToken = refuse("unauthenticated", "The access token is not valid, has expired or was revoked.");
const providerAway = refuse("overloaded", "The identity provider cannot be reached.", {
  next: "Please try again.",
  applied: "no",
  retryAfterSeconds: 5,
});

type Asking = Pick<Options, "config" | "log"> & Readonly<{ maxKnown: number }>;

/** JWTs are introspected too when the provider offers it, because a signature does not show a revocation. */
function askProvider({ config, log, maxKnown }: Asking): FindClaims {
  const client = config.authClient;
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

  return async (token, tokenHash) => {
    const provider = await findProvider();
    const isJwt = looksLikeJwt(token);
    const verified = isJwt ? await verifyJwt(token, tokenHash, provider) : undefined;
    if (isJwt && !verified) return undefined;
    const { issuer, introspectionEndpoint } = provider;
    if (introspectionEndpoint === undefined || client === undefined) return verified;
    const answer = await introspect(token, { issuer, introspectionEndpoint }, client, config.authAudience);
    return answer === "unsupported" ? verified : answer && { ...verified, ...answer };
  };
}

/** Padding is refused although decoders accept it, because one token would then have several forms. */
const looksLikeJwt = (token: string): boolean => /^[\w-]+\.[\w-]+\.[\w-]+$/.test(token);

const algorithms = "RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519".split(" ");
const clockToleranceSeconds = 5;

/** A token with a checked signature, and its key. While that key is published, the signature needs no further check. */
type Verified = Readonly<{ header: JWTVerifyResult["protectedHeader"]; key: CryptoKey; claims: JWTPayload }>;

/**
 * Checks a JWT access token: signature, issuer, audience, times, and that it is no ID token.
 * @returns undefined when the token is not valid
 * @throws ProviderUnavailable when the keys cannot be fetched
 */
type VerifyJwt = (token: string, tokenHash: string, provider: Provider) => Promise<Claims | undefined>;

/**
 * A check of a signature costs as much as a request, so the last `maxRemembered` tokens are checked once for each
 * key.
 */
function createJwtVerifier(
  { authAudience, authJwtTyp }: Pick<Config, "authAudience" | "authJwtTyp">,
  maxRemembered: number,
): VerifyJwt {
  const remembered = new LRUCache<string, Verified>({ max: maxRemembered });

  const isStillGood = async ({ header, key, claims }: Verified, { findKey }: Provider): Promise<boolean> =>
    (claims.exp ?? 0) + clockToleranceSeconds > Date.now() / 1000 && (await findKey(header)) === key;

  async function verify(token: string, { issuer, findKey }: Provider): Promise<Verified | undefined> {
    const { payload, protectedHeader, key } = await jwtVerify(token, findKey, {
      issuer,
      audience: [...authAudience],
      algorithms,
      clockTolerance: clockToleranceSeconds,
      requiredClaims: ["exp", "sub"],
    });
    const isIdToken = "nonce" in payload || "at_hash" in payload;
    if (isIdToken || !isAccessTokenType(protectedHeader.typ, authJwtTyp)) return undefined;
    return { header: protectedHeader, key, claims: payload };
  }

  return async (token, tokenHash, provider) => {
    const known = remembered.get(tokenHash);
    try {
      if (known && (await isStillGood(known, provider))) return known.claims;
      remembered.delete(tokenHash);
      const verified = await verify(token, provider);
      if (verified) remembered.set(tokenHash, verified);
      return verified?.claims;
    } catch (error) {
      if (error instanceof ProviderUnavailable) throw error;
      return undefined;
    }
  };
}

/** RFC 9068 §2.1 demands at+jwt, but many providers send JWT or nothing. */
function isAccessTokenType(typ: string | undefined, allowed: Config["authJwtTyp"]): boolean {
  const type = typ?.toLowerCase().replace(/^application\//, "");
  if (type === "at+jwt") return true;
  return allowed === "any" && (type === undefined || type === "jwt");
}
