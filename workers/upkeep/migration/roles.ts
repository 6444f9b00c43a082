import type { Pool } from "pg";
import {
  type DatabaseRole,
  databaseRoles,
  type RoleUrls,
  roleName,
  roleSettings,
} from "../../../shared/process/database-roles.ts";
import { type Rights, rights } from "./rights.ts";

/**
 * Makes the roles whose addresses are known, and gives every role that exists its rights and no others. A role that has
 * no address here and does not exist is left out, so one installation may go on with the owner for all processes.
 */
export async function giveRights(pool: Pick<Pool, "query">, urls: RoleUrls): Promise<void> {
  const { owner, database, existing, partitions } = await readOwner(pool);
  await pool.query(`revoke create on schema public from public;
    revoke temporary on database ${quoted(database)} from public; ${keepOwnersFunctions}`);
  for (const role of databaseRoles) {
    const name = roleName(owner, role);
    const exists = existing.includes(name);
    const url = urls[role];
    if (url !== undefined) await giveLogin(pool, { role, name, owner, exists, url });
    if (exists || url !== undefined) await pool.query(rightsOf(name, rights[role], partitions));
  }
}

type Owner = Readonly<{
  owner: string;
  database: string;
  existing: readonly string[];
  /** Partitions would show what the policies of their table hide. */
  partitions: readonly string[];
}>;

async function readOwner(pool: Pick<Pool, "query">): Promise<Owner> {
  const { rows } = await pool.query<Owner>(`
    select current_user::text as owner, current_database()::text as database,
      array(select rolname::text from pg_roles) as existing,
      array(select inhrelid::regclass::text from pg_inherits join pg_class on oid = inhrelid and relkind in ('r', 'p')) as partitions`);
  return rows[0] ?? { owner: "", database: "", existing: [], partitions: [] };
}

/** Functions with the owner's rights are nobody's until a role has them. */
const keepOwnersFunctions = `
  do $$ declare own regprocedure; begin
    for own in select oid from pg_proc
      where prosecdef and pronamespace = 'public'::regnamespace and proowner = current_user::regrole loop
      execute format('revoke execute on function %s from public', own);
    end loop;
  end $$`;

type Login = Readonly<{ role: DatabaseRole; name: string; owner: string; exists: boolean; url: string }>;

/** The owner is a member of each role, so that it can end the role's sessions. */
async function giveLogin(
  pool: Pick<Pool, "query">,
  { role, name, owner, exists, url }: Login,
): Promise<void> {
  const { username, password } = new URL(url);
  if (decodeURIComponent(username) !== name)
    throw new Error(`${roleSettings[role]} must name the user ${name}, because the owner is ${owner}.`);
  const login = `role ${quoted(name)} login password '${decodeURIComponent(password).replaceAll("'", "''")}'`;
  await pool.query(exists ? `alter ${login}` : `create ${login} role ${quoted(owner)}`);
}

/** One transaction, so that no process is without its rights meanwhile. */
function rightsOf(name: string, { may, not = [] }: Rights, partitions: readonly string[]): string {
  const role = quoted(name);
  const all = ["tables", "sequences", "functions"].map(
    (kind) => `all on all ${kind} in schema public, identity`,
  );
  return [
    ...[...all, "all on schema public, identity"].map((right) => `revoke ${right} from ${role}`),
    ...may.map((right) => `grant ${right} to ${role}`),
    ...not.map((right) => `revoke ${right} from ${role}`),
    ...partitions.map((partition) => `revoke all on ${partition} from ${role}`),
  ].join(";\n");
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
