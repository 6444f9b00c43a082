import { type Connection, type PoolClient, Query, type QueryConfig } from "pg";
import { statementName } from "./prepared-statements.ts";

/** Names the users whose rows the policies of the tables show, until the transaction ends. */
export const setUsers = "select set_config('kept.users', $1, true)";

/**
 * A statement that lets a table show the rows of named users alone, to roles that only read. It may be repeated.
 * Without "coalesce" the planner would search an index for the users, which costs more than comparing the rows found.
 */
export const showOwnRows = (table: string, owner = "user_id"): string => `
  do $$ begin
    alter table ${table} enable row level security;
    drop policy if exists own_rows on ${table};
    create policy own_rows on ${table} using (
      sees_all() or
      coalesce(${owner} = any ((select nullif(current_setting('kept.users', true), '')::text[])::text[]), false));
  end $$`;

type UsersQuery = QueryConfig & Readonly<{ users: readonly string[] }>;

/** A statement that sees the rows of these users alone. Connections of `openDatabase` take it. */
export const ofUsers = <Statement extends QueryConfig>(
  query: Statement,
  users: readonly string[],
): Statement => ({
  ...query,
  users,
});

/**
 * Lets a connection take statements with users. Their setting and the statement go out together and end with one Sync, so
 * they are one transaction: no further round trip, and a pooler cannot part them.
 */
export function takeUsers(client: PoolClient, prepare: boolean): void {
  const query = client.query.bind(client) as (...args: unknown[]) => unknown;
  const name = prepare ? statementName(setUsers) : "";
  const take = (first: unknown, ...rest: unknown[]) =>
    query(hasUsers(first) ? withUsers(first, name) : first, ...rest);
  client.query = take as typeof client.query;
}

const hasUsers = (value: unknown): value is UsersQuery =>
  typeof value === "object" && value !== null && "users" in value;

/** The parts of pg that its types leave out. */
type Wire = Connection & Record<"parse" | "bind" | "execute", (message: object) => void>;
type OnMessage = (message: unknown, connection: Wire) => void;
type Sent = { prepare(connection: Wire): void; handleDataRow: OnMessage; handleCommandComplete: OnMessage };

/** The answer to the setting comes first, and is left out of the result. */
function withUsers({ users, ...statement }: UsersQuery, name: string): Query {
  const query = new Query({ ...statement, queryMode: "extended" } as QueryConfig);
  const sent = query as unknown as Sent;
  const { prepare, handleDataRow, handleCommandComplete } = sent;
  let isSet = false;
  sent.prepare = (connection) => {
    if (name === "") connection.parse({ text: setUsers });
    connection.bind({ statement: name, values: [arrayText(users)] });
    connection.execute({});
    prepare.call(sent, connection);
  };
  sent.handleDataRow = (message, connection) => {
    if (isSet) handleDataRow.call(sent, message, connection);
  };
  sent.handleCommandComplete = (message, connection) => {
    if (isSet) return handleCommandComplete.call(sent, message, connection);
    isSet = true;
  };
  return query;
}

const arrayText = (users: readonly string[]): string =>
  `{${users.map((user) => `"${user.replace(/["\\]/g, "\\$&")}"`).join(",")}}`;
