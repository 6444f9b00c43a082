import type { Pool } from "pg";
import {
  type DatabaseRole,
  databaseRoles,
  type RoleUrls,
  roleName,
  roleSettings,
} from "../../../shared/process/database-roles.ts";

type Rights = Readonly<{ may: readonly string[]; not?: readonly string[] }>;

/**
 * The rights of each process in the database: the only list of them. Migrations run as the owner of the tables, who
 * gives exactly these after each. `not` takes away again what `may` gives to all tables.
 */
const rights: Readonly<Record<DatabaseRole, Rights>> = {
  door: {
    may: [
      "usage on schema public",
      "select on all tables in schema public",
      "execute on function change_marks(), feed_owner(text)",
    ],
  },
  worker: {
    may: [
      "usage on schema public",
      "select, insert, update, delete on all tables in schema public",
      "usage on all sequences in schema public",
      "execute on all functions in schema public",
    ],
    not: [
      "insert, update, delete on mikro_orm_migrations, shared_secrets",
      // Events are only added, within bounds, and dropped after 400 days.
      "insert, update, delete on journal, journal_counts",
    ],
  },
  // Nobody else reads passwords and keys.
  identity: {
    may: [
      "usage on schema public, identity",
      "select, insert, update, delete on all tables in schema identity",
      "usage on all sequences in schema identity",
      "select on mikro_orm_migrations",
      "select (user_id, time_zone, zone_source, locale, session_generation) on users",
      "execute on function journal_append(text, text, jsonb, bigint, text, text, bigint)",
    ],
  },
};

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/**
 * Makes the roles whose addresses are known, and gives every role that exists its rights and no others. A role that has
 * no address here and does not exist is left out, so one installation may go on with the owner for all processes.
 */
export async function giveRights(pool: Pick<Pool, "query">, urls: RoleUrls): Promise<void> {
  const { rows } = await pool.query(readOwner);
  const { owner, database, roles } = rows[0];
  await pool.query(`revoke create on schema public from public;
    revoke temporary on database ${quoted(database)} from public;
    ${revokeEach("execute on function", ownersFunctions, "public")}`);
  for (const role of databaseRoles) {
    const name = roleName(owner, role);
    const [url, exists] = [urls[role], roles.includes(name)];
    const login = url && `role ${quoted(name)} login ${passwordIn(url, role, owner)}`;
    // The owner is a member of each role, so that it can end the role's sessions.
    if (login) await pool.query(exists ? `alter ${login}` : `create ${login} role ${quoted(owner)}`);
    if (url !== undefined || exists) await pool.query(rightsOf(role, quoted(name)));
  }
}

const readOwner = `
  select current_user::text as owner, current_database()::text as database,
    array(select rolname::text from pg_roles) as roles`;

/** Functions with the owner's rights are nobody's until a role has them. */
const ownersFunctions = `
  select oid::regprocedure from pg_proc
  where prosecdef and pronamespace = 'public'::regnamespace and proowner = current_user::regrole`;

/** Partitions would show what the policies of their table hide. */
const partitions = `
  select inhrelid::regclass from pg_inherits join pg_class on oid = inhrelid and relkind in ('r', 'p')`;

const revokeEach = (right: string, things: string, role: string): string => `
  do $$ declare thing text; begin
    for thing in ${things} loop execute 'revoke ${right} ' || thing || ' from ${role.replaceAll("'", "''")}'; end loop;
  end $$`;

function passwordIn(url: string, role: DatabaseRole, owner: string): string {
  const { username, password } = new URL(url);
  const name = roleName(owner, role);
  if (decodeURIComponent(username) !== name)
    throw new Error(`${roleSettings[role]} must name the user ${name}, because the owner is ${owner}.`);
  return `password '${decodeURIComponent(password).replaceAll("'", "''")}'`;
}

/** One transaction, so that no process is without its rights meanwhile. */
function rightsOf(role: DatabaseRole, name: string): string {
  const { may, not = [] } = rights[role];
  const all = ["all tables in schema", "all sequences in schema", "all functions in schema", "schema"];
  return [
    ...all.map((things) => `revoke all on ${things} public, identity from ${name}`),
    ...may.map((right) => `grant ${right} to ${name}`),
    ...not.map((right) => `revoke ${right} from ${name}`),
    revokeEach("all on", partitions, name),
  ].join(";\n");
}
