import { type CryptoKey, type JWTPayload, type JWTVerifyResult, jwtVerify } from "jose";
import { LRUCache } from "lru-cache";
import type { Config } from "../../shared/process/config.ts";
import type { Claims } from "./claims.ts";
import { type Provider, ProviderUnavailable } from "./provider.ts";

/** Padding is refused although decoders accept it, because one token would then have several forms. */
export const looksLikeJwt = (token: string): boolean => /^[\w-]+\.[\w-]+\.[\w-]+$/.test(token);

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
export function createJwtVerifier(
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
