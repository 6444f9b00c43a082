import { createECDH, randomBytes } from "node:crypto";
import type { Pool } from "pg";
import { type DatabaseRole, roleName } from "../process/database-roles.ts";
import { toRun } from "../process/to-run.ts";

/** Keys for push services (VAPID, RFC 8292), in base64url. */
type PushKeys = Readonly<{ publicKey: string; privateKey: string }>;

const makers = {
  /** Keys for links in reminders: the first one signs new links. */
  "reminder-links": async (): Promise<readonly [string, ...string[]]> => [newKey()],
  push: async (): Promise<PushKeys> => newPushKeys(),
  /** Keys for messages over Redis: the first one signs. */
  queue: async (): Promise<readonly string[]> => [newKey()],
  /** Keys for cookies and forms of all pages: the first one makes new values. */
  pages: async (): Promise<readonly [string, ...string[]]> => [newKey()],
};

type SharedSecrets = { [Name in keyof typeof makers]: Awaited<ReturnType<(typeof makers)[Name]>> };

/** @throws when it is missing, because only `migrate` makes it */
export async function readSecret<Name extends keyof SharedSecrets>(
  pool: Pick<Pool, "query">,
  name: Name,
): Promise<SharedSecrets[Name]> {
  const text = "select value from shared_secrets where name = $1";
  const { rows } = await pool.query<{ value: SharedSecrets[Name] }>(text, [name]);
  if (!rows[0]) throw new Error(`The database has no secret ${name}: run \`${toRun("migrate")}\`.`);
  return rows[0].value;
}

/**
 * Makes the secrets that several roles share. They lie beside those of the provider, which no other role reads, so there
 * is a view of them. It hides from each role what that does not use: a worker seals no session, a door sends no push.
 */
export async function makeSharedSecrets(pool: Pick<Pool, "query">): Promise<void> {
  const names = Object.keys(makers).map((name) => `'${name}'`);
  const { rows } = await pool.query("select current_user::text as owner");
  const is = (role: DatabaseRole) =>
    `current_user = '${roleName(rows[0].owner, role).replaceAll("'", "''")}'`;
  await pool.query(
    `create or replace view shared_secrets as
     select name, case when name = 'push' and ${is("door")} then value - 'privateKey' else value end as value
     from identity.secrets where name in (${names}) and not (name = 'pages' and ${is("worker")})`,
  );
  for (const [name, make] of Object.entries(makers)) await keepSecret<unknown>(pool, name, make);
}

const newKey = (): string => randomBytes(32).toString("base64url");

export function newPushKeys(): PushKeys {
  const curve = createECDH("prime256v1");
  curve.generateKeys();
  // A private key may begin with zeros, which some formats omit.
  const privateKey = Buffer.from(curve.getPrivateKey("hex").padStart(64, "0"), "hex").toString("base64url");
  return { publicKey: curve.getPublicKey("base64url"), privateKey };
}

/** Secrets that front doors and workers share, each read at its first use. */
export type ReminderSecrets = Readonly<{
  /** Keys for links in reminders: the first one signs new links. */
  linkKeys(): Promise<readonly [string, ...string[]]>;
  pushKeys(): Promise<PushKeys>;
}>;

export const openReminderSecrets = (pool: Pick<Pool, "query">): ReminderSecrets => ({
  linkKeys: once(() => readSecret(pool, "reminder-links")),
  pushKeys: once(() => readSecret(pool, "push")),
});

/** Reads a value at its first use, and forgets a failure. */
function once<Value>(read: () => Promise<Value>): () => Promise<Value> {
  let value: Promise<Value> | undefined;
  return () => {
    value ??= read().catch((error) => {
      value = undefined;
      throw error;
    });
    return value;
  };
}

/**
 * Returns a secret that all processes of a role share. It lies in the database, so no file travels between machines. The
 * first process that asks makes it.
 */
export async function keepSecret<Value>(
  pool: Pick<Pool, "query">,
  name: string,
  make: () => Promise<Value>,
): Promise<Value> {
  const known = "select value from identity.secrets where name = $1";
  const { rows } = await pool.query<{ value: Value }>(known, [name]);
  if (rows[0]) return rows[0].value;
  // Another process may have stored its own meanwhile, so the stored value is read again.
  await pool.query("insert into identity.secrets (name, value) values ($1, $2) on conflict do nothing", [
    name,
    JSON.stringify(await make()),
  ]);
  return keepSecret(pool, name, make);
}
