import { jwtVerify } from "jose";
import type { Config } from "../../shared/process/config.ts";
import type { Claims } from "./claims.ts";
import { type Provider, ProviderUnavailable } from "./provider.ts";

/** Padding is refused although decoders accept it, because one token would then have several spellings. */
export const looksLikeJwt = (token: string): boolean => /^[\w-]+\.[\w-]+\.[\w-]+$/.test(token);

const algorithms = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
  "Ed25519",
];
const clockToleranceSeconds = 5;

/**
 * Checks a JWT access token: signature, issuer, audience, times, and that it is no ID token.
 * @returns undefined when the token is not valid
 * @throws ProviderUnavailable when the keys cannot be fetched
 */
export async function verifyJwt(
  token: string,
  provider: Provider,
  config: Pick<Config, "authAudience" | "authJwtTyp">,
): Promise<Claims | undefined> {
  try {
    const { payload, protectedHeader } = await jwtVerify(token, provider.keys, {
      issuer: provider.issuer,
      audience: [...config.authAudience],
      algorithms,
      clockTolerance: clockToleranceSeconds,
      requiredClaims: ["exp", "sub"],
    });
    if (!isAccessTokenType(protectedHeader.typ, config.authJwtTyp)) return undefined;
    return "nonce" in payload || "at_hash" in payload ? undefined : payload;
  } catch (error) {
    if (error instanceof ProviderUnavailable) throw error;
    return undefined;
  }
}

/** RFC 9068 §2.1 demands at+jwt, but many providers send JWT or nothing. */
function isAccessTokenType(typ: string | undefined, allowed: Config["authJwtTyp"]): boolean {
  const type = typ?.toLowerCase().replace(/^application\//, "");
  if (type === "at+jwt") return true;
  return allowed === "any" && (type === undefined || type === "jwt");
}
