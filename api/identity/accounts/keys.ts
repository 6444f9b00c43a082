import { exportJWK, generateKeyPair } from "jose";
import type { JWKS } from "oidc-provider";
import type { Pool } from "pg";
import { inTransaction } from "../../../shared/db/in-transaction.ts";
import { keepSecret } from "../../../shared/db/shared-secrets.ts";
import { type KeyRing, newSecret } from "../../web/key-ring.ts";

export type IdentityKeys = Readonly<{
  /** The first key signs ID tokens; all keys are published. */
  jwks: JWKS;
  cookies: string[];
  /** These keys sign the tokens inside forms, and the links in messages. */
  forms: KeyRing<string>;
}>;

/**
 * Loads the provider's keys. The first process that starts makes them, and all others use the same.
 * @param forms the keys of all pages' forms
 */
export async function loadKeys(pool: Client, forms: KeyRing<string>): Promise<IdentityKeys> {
  return {
    jwks: await keepSecret(pool, "jwks", async () => ({ keys: [await newSigningKey()] })),
    cookies: await keepSecret(pool, "cookies", async () => [newSecret()]),
    forms,
  };
}

async function newSigningKey(): Promise<JWKS["keys"][number]> {
  const { privateKey } = await generateKeyPair("RS256", { extractable: true });
  const key = await exportJWK(privateKey);
  return { ...key, kty: "RSA", use: "sig", alg: "RS256" };
}

type Step = Readonly<{
  /** The state before the step and the state after it. */
  from: string;
  to: string;
  /** The first key is used; all are accepted. */
  change<Key>(keys: readonly Key[], made: Key): Key[];
}>;

export const rotationSteps = ["prepare", "switch", "finish"] as const;
export type RotationStep = (typeof rotationSteps)[number];

/**
 * All processes know a new key before any uses it, and accept the old one until none uses it. A process takes a step
 * when it starts, so restart all processes between two steps, in any order.
 */
const steps: Readonly<Record<RotationStep, Step>> = {
  prepare: { from: "whole", to: "prepared", change: (keys, made) => [...keys, made] },
  switch: { from: "prepared", to: "switched", change: (keys) => keys.toReversed() },
  finish: { from: "switched", to: "whole", change: (keys) => keys.slice(0, 1) },
};

/**
 * Takes one step of replacing all keys and secrets in the database.
 * @returns the due step if it is another one
 */
export function rotateSecrets(pool: Pool, name: RotationStep): Promise<RotationStep | undefined> {
  return inTransaction(pool, async (client) => {
    await client.query("lock table identity.secrets in share row exclusive mode");
    const state = (await findSecret<string>(client, "rotation")) ?? "whole";
    const due = rotationSteps.find((step) => steps[step].from === state);
    if (due === name) await take(client, name);
    return due === name ? undefined : due;
  });
}

async function take(client: Client, name: RotationStep): Promise<void> {
  const { change, to } = steps[name];
  const jwks = await findSecret<JWKS>(client, "jwks");
  if (jwks) await storeSecret(client, "jwks", { keys: change(jwks.keys, await newSigningKey()) });
  for (const list of ["cookies", "reminder-links", "queue", "pages"]) {
    const keys = await findSecret<string | string[]>(client, list);
    if (keys) await storeSecret(client, list, change([keys].flat(), newSecret()));
  }
  await storeSecret(client, "rotation", to);
}

type Client = Pick<Pool, "query">;

export async function findSecret<Value>(client: Client, name: string): Promise<Value | undefined> {
  const sql = "select value from identity.secrets where name = $1";
  const { rows } = await client.query<{ value: Value }>(sql, [name]);
  return rows[0]?.value;
}

export async function storeSecret(client: Client, name: string, value: unknown): Promise<void> {
  const sql = `insert into identity.secrets (name, value) values ($1, $2)
    on conflict (name) do update set value = excluded.value`;
  await client.query(sql, [name, JSON.stringify(value)]);
}
