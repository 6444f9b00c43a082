import { exportJWK, generateKeyPair } from "jose";
import type { JWKS } from "oidc-provider";
import type { Pool } from "pg";
import { keepSecret } from "../../../shared/db/shared-secrets.ts";
import { type KeyRing, newSecret } from "../../web/key-ring.ts";

export type IdentityKeys = Readonly<{
  /** The first key signs ID tokens; all keys are published. */
  jwks: JWKS;
  /** These keys sign cookies. */
  cookies: string[];
  /** These keys sign the tokens inside forms, and the links in messages. */
  forms: KeyRing<string>;
}>;

/**
 * Loads the provider's keys. The first process that starts makes them, and all others use the same.
 * @param forms the keys of all pages' forms
 */
export async function loadKeys(pool: Pick<Pool, "query">, forms: KeyRing<string>): Promise<IdentityKeys> {
  return {
    jwks: await keepSecret(pool, "jwks", async () => ({ keys: [await newSigningKey()] })),
    cookies: await keepSecret(pool, "cookies", async () => [newSecret()]),
    forms,
  };
}

export async function newSigningKey(): Promise<JWKS["keys"][number]> {
  const { privateKey } = await generateKeyPair("RS256", { extractable: true });
  const key = await exportJWK(privateKey);
  return { ...key, kty: "RSA", use: "sig", alg: "RS256" };
}
