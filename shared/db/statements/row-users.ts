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
