import type { Pool } from "pg";
import type { ListedMigration } from "./apply.ts";

/** Statements that take the longer the more rows there are, and hold up writes to them until the end. */
const long = [
  /\bcreate index (?!concurrently)/,
  /\badd primary key\b/,
  /\bset (unlogged|not null)\b/,
  /\binsert into [\w.]+ .*\bselect\b/s,
  /^\s*(update|delete from)\b/,
];

/** Steps with a commit of their own hold up nobody for long. */
const isLong = (text: string): boolean => !/\bcommit;/.test(text) && long.some((form) => form.test(text));

/** A function's body runs later. */
const runsAtOnce = (text: string): boolean => !/^\s*create (or replace )?function\b/.test(text);

/** A table, or an index with its table, and PostgreSQL's estimate of the table's rows. */
type Relation = Readonly<{ name: string; table: string; rows: number }>;

/** A partitioned table has the rows of its partitions. A table that nobody has analysed yet counts -1. */
const relations = `
  select c.oid::regclass::text as name, t.oid::regclass::text as table, greatest(0, coalesce((
    select sum(p.reltuples) from pg_inherits i join pg_class p on p.oid = i.inhrelid and p.reltuples > 0
    where i.inhparent = t.oid), t.reltuples))::float8 as rows
  from pg_class c left join pg_index x on x.indexrelid = c.oid
  join pg_class t on t.oid = coalesce(x.indrelid, c.oid) and t.relkind in ('r', 'p')
  where c.relnamespace::regnamespace::text in ('public', 'identity')`;

/** @returns a line for each migration: if writes wait for work on rows, and its tables with their rows */
export async function planOf(
  pool: Pick<Pool, "query">,
  pending: readonly ListedMigration[],
): Promise<readonly string[]> {
  const { rows } = await pool.query<Relation>(relations);
  const known = new Map(rows.map((relation) => [relation.name, relation]));
  const tablesIn = (text: string) => {
    const found = (text.match(/[\w.]+/g) ?? []).flatMap((word) => known.get(word) ?? []);
    return [...new Map(found.map((relation) => [relation.table, relation])).values()];
  };
  return pending.map(({ name, statements }) => {
    const texts = statements.filter(runsAtOnce);
    const waits = texts.some((text) => isLong(text) && tablesIn(text).some((table) => table.rows > 0));
    const tables = tablesIn(texts.join(" ")).map(
      (one) => `${one.table} (${one.rows.toLocaleString("en")} rows)`,
    );
    return `${name.padEnd(34)}${waits ? "writes wait" : "online"}  ${tables.sort().join(", ") || "no table in use"}`;
  });
}
