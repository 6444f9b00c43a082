import type { Pool } from "pg";

/**
 * Returns a secret that all processes of a role share. It lies in the database, so no file travels between machines. The
 * first process that asks makes it.
 */
export async function keepSecret<Value>(
  pool: Pick<Pool, "query">,
  name: string,
  make: () => Promise<Value>,
): Promise<Value> {
  const known = await read<Value>(pool, name);
  if (known !== undefined) return known;
  // Another process may have stored its own meanwhile, so the stored value is read again.
  await pool.query("insert into identity.secrets (name, value) values ($1, $2) on conflict do nothing", [
    name,
    JSON.stringify(await make()),
  ]);
  return keepSecret(pool, name, make);
}

async function read<Value>(pool: Pick<Pool, "query">, name: string): Promise<Value | undefined> {
  const { rows } = await pool.query<{ value: Value }>("select value from identity.secrets where name = $1", [
    name,
  ]);
  return rows[0]?.value;
}
