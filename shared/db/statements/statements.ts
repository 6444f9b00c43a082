import { createHash } from "node:crypto";
import { type Connection, type PoolClient, Query, type QueryConfig } from "pg";

type Statement = QueryConfig & Readonly<{ users?: readonly string[] }>;

/** A statement that sees the rows of these users alone. Connections of `openDatabase` take it. */
export function ofUsers<Config extends QueryConfig>(query: Config, users: readonly string[]): Config {
  return { ...query, users };
}

/** Every value is bound, so there are few texts; PostgreSQL keeps a plan of each for a connection. */
const maxNames = 500;

/**
 * Lets a connection take statements with users. With `prepare` it names every parameterised statement, so that PostgreSQL
 * parses it once and can reuse its plan. MikroORM does not do this, and it nearly doubles the reads per second.
 */
export function takeStatements(client: PoolClient, prepare: boolean): void {
  const query = client.query.bind(client) as (...args: unknown[]) => unknown;
  const nameOf = prepare ? createNames() : () => undefined;
  const usersName = prepare ? statementName(setUsers) : "";
  const take = (first: unknown, values?: unknown, ...rest: unknown[]) => {
    if (typeof first === "string" && Array.isArray(values))
      return query({ text: first, values, name: nameOf(first, values) }, ...rest);
    if (!isStatement(first)) return query(first, values, ...rest);
    const named = { ...first, name: nameOf(first.text, first.values) };
    return query(named.users ? withUsers(named, named.users, usersName) : named, values, ...rest);
  };
  Object.assign(client, { query: take });
}

const isStatement = (value: unknown): value is Statement =>
  value instanceof Object && "text" in value && !("submit" in value || "name" in value);

function createNames() {
  const names = new Map<string, string>();
  return (text: string, values: readonly unknown[] = []): string | undefined => {
    const known = names.get(text);
    if (known !== undefined || values.length === 0 || names.size >= maxNames) return known;
    const name = statementName(text);
    names.set(text, name);
    return name;
  };
}

/**
 * A name that depends on the text alone, because behind a pooler several processes share connections. With 120
 * bits, two texts never share a name.
 */
export const statementName = (text: string): string =>
  `k${createHash("sha256").update(text).digest("base64url").slice(0, 20)}`;

/** The parts of pg that its types leave out. */
type Wire = Connection & Record<"parse" | "bind" | "execute", (message: object) => void>;
type Sent = { prepare(connection: Wire): void; handleCommandComplete: unknown };

/**
 * The setting and the statement go out together and end with one Sync, so they are one transaction: no further round trip,
 * and a pooler cannot part them. The answer to the setting comes first, and is left out of the result.
 */
function withUsers(statement: Statement, users: readonly string[], name: string): Sent {
  const sent = new Query({ ...statement, queryMode: "extended" } as QueryConfig) as unknown as Sent;
  const { prepare, handleCommandComplete } = sent;
  sent.prepare = (connection) => {
    if (name === "") connection.parse({ text: setUsers });
    connection.bind({ statement: name, values: [arrayText(users)] });
    connection.execute({});
    prepare.call(sent, connection);
  };
  sent.handleCommandComplete = () => {
    sent.handleCommandComplete = handleCommandComplete;
  };
  return sent;
}

const arrayText = (users: readonly string[]): string =>
  `{${users.map((user) => `"${user.replace(/["\\]/g, "\\$&")}"`).join(",")}}`;

/** Names the users whose rows the policies of the tables show, until the transaction ends. It gives no row. */
export const setUsers = "select where set_config('kept.users', $1, true) is null";

/**
 * Statements that let a table show the rows of named users alone, to roles that only read. Without "coalesce" the planner
 * would search an index for the users, which costs more than comparing the rows found.
 */
export const showOwnRows = (table: string, owner = "user_id"): string => `
  alter table ${table} enable row level security;
  create policy own_rows on ${table} using (
    sees_all() or
    coalesce(${owner} = any ((select nullif(current_setting('kept.users', true), '')::text[])::text[]), false));`;

/**
 * After a restart of PostgreSQL, rows just read may not be on a synchronous standby yet. Only a commit with a
 * record in the write-ahead log waits for standbys, so this writes one. Rows read on a standby are there already.
 */
export const waitForStandbys = `
  select case when not pg_is_in_recovery() then pg_logical_emit_message(true, 'kept', '') end`;
