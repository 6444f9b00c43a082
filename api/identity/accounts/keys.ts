import { randomBytes } from "node:crypto";
import { exportJWK, generateKeyPair } from "jose";
import type { JWKS } from "oidc-provider";
import type { Pool } from "pg";
import { keepSecret } from "../../../shared/db/secrets.ts";

export type IdentityKeys = Readonly<{
  /** Signs ID tokens. */
  jwks: JWKS;
  /** Signs cookies. */
  cookies: string[];
  /** Signs the tokens inside forms. */
  forms: string;
}>;

/** Loads the provider's keys. The first process that starts makes them, and all others use the same. */
export async function loadKeys(pool: Pool): Promise<IdentityKeys> {
  return {
    jwks: await keepSecret(pool, "jwks", makeJwks),
    cookies: await keepSecret(pool, "cookies", async () => [randomBytes(32).toString("base64url")]),
    forms: await keepSecret(pool, "forms", async () => randomBytes(32).toString("base64url")),
  };
}

async function makeJwks(): Promise<JWKS> {
  const { privateKey } = await generateKeyPair("RS256", { extractable: true });
  const key = await exportJWK(privateKey);
  return { keys: [{ ...key, kty: "RSA", use: "sig", alg: "RS256" }] };
}
