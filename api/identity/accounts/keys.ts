import { randomBytes } from "node:crypto";
import { exportJWK, generateKeyPair } from "jose";
import type { JWKS } from "oidc-provider";
import type { Pool } from "pg";

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
    jwks: await keep(pool, "jwks", makeJwks),
    cookies: await keep(pool, "cookies", async () => [randomBytes(32).toString("base64url")]),
    forms: await keep(pool, "forms", async () => randomBytes(32).toString("base64url")),
  };
}

async function keep<Value>(pool: Pool, name: string, make: () => Promise<Value>): Promise<Value> {
  const known = await read<Value>(pool, name);
  if (known !== undefined) return known;
  // Another process may have stored its own meanwhile, so what is stored is read again.
  await pool.query(`insert into identity.secrets (name, value) values ($1, $2) on conflict do nothing`, [
    name,
    JSON.stringify(await make()),
  ]);
  return keep(pool, name, make);
}

async function read<Value>(pool: Pool, name: string): Promise<Value | undefined> {
  const { rows } = await pool.query<{ value: Value }>(`select value from identity.secrets where name = $1`, [
    name,
  ]);
  return rows[0]?.value;
}

async function makeJwks(): Promise<JWKS> {
  const { privateKey } = await generateKeyPair("RS256", { extractable: true });
  const key = await exportJWK(privateKey);
  return { keys: [{ ...key, kty: "RSA", use: "sig", alg: "RS256" }] };
}
