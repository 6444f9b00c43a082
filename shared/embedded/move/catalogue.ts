import type { TransactionSQL } from "bun";

/** A table with its columns, as SQL names them. Partitions belong to their table. */
export type MovedTable = Readonly<{ name: string; columns: string }>;

const isOwn = (schema: string) => `${schema} !~ '^pg_' and ${schema} <> 'information_schema'`;

/** All tables, in the order of their names. Generated columns are left out, because nobody can write them. */
export function listTables(sql: TransactionSQL): Promise<readonly MovedTable[]> {
  return sql.unsafe(`
    select format('%I.%I', nspname, relname) as name,
      string_agg(quote_ident(attname), ', ' order by attname) as columns
    from pg_class c
    join pg_namespace n on n.oid = relnamespace
    join pg_attribute on attrelid = c.oid and attnum > 0 and not attisdropped and attgenerated = ''
    where relkind in ('r', 'p') and not relispartition and ${isOwn("nspname")}
    group by 1 order by 1`);
}

/** Makes the partitions of one database those of the other, whose rows need them. They must have no rows. */
export async function takePartitions(from: TransactionSQL, to: TransactionSQL): Promise<void> {
  for (const { name } of await to.unsafe(partitions)) await to.unsafe(`drop table ${name}`);
  for (const { name, parent, bound, keys } of await from.unsafe(partitions)) {
    await to.unsafe(`create table ${name} (like ${parent} including all)`);
    for (const key of keys) await to.unsafe(`alter table ${name} add ${key}`);
    await to.unsafe(`alter table ${parent} attach partition ${name} ${bound}`);
  }
}

/** A partition may have keys that its table has not. */
const partitions = `
  select format('%I.%I', n.nspname, c.relname) as name, format('%I.%I', pn.nspname, p.relname) as parent,
    pg_get_expr(c.relpartbound, c.oid) as bound,
    array(select pg_get_constraintdef(oid) from pg_constraint
      where conrelid = c.oid and contype in ('p', 'u') and conparentid = 0) as keys
  from pg_inherits
  join pg_class c on c.oid = inhrelid and c.relkind in ('r', 'p')
  join pg_namespace n on n.oid = c.relnamespace
  join pg_class p on p.oid = inhparent
  join pg_namespace pn on pn.oid = p.relnamespace`;

/** Takes off the foreign keys, so that tables may be filled in any order; the result puts them back and checks all rows. */
export async function dropForeignKeys(sql: TransactionSQL): Promise<() => Promise<void>> {
  const keys: { table: string; name: string; definition: string }[] = await sql.unsafe(`
    select conrelid::regclass::text as table, quote_ident(conname) as name, pg_get_constraintdef(oid) as definition
    from pg_constraint where contype = 'f' and conparentid = 0`);
  for (const { table, name } of keys) await sql.unsafe(`alter table ${table} drop constraint ${name}`);
  return async () => {
    for (const { table, name, definition } of keys)
      await sql.unsafe(`alter table ${table} add constraint ${name} ${definition}`);
  };
}

/** Sets each sequence to its value in the other database, or to the end of the block that began with that value. */
export async function takeSequences(from: TransactionSQL, to: TransactionSQL): Promise<void> {
  const used = await from.unsafe(`
    select format('%I.%I', schemaname, sequencename) as name, (last_value + increment_by - 1)::text as value from pg_sequences
    where last_value is not null and ${isOwn("schemaname")}`);
  for (const { name, value } of used) await to.unsafe(`select setval('${name}', ${value})`);
}
