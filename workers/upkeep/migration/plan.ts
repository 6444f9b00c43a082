import type { Pool } from "pg";
import type { ListedMigration } from "./apply.ts";

type Mode = "row exclusive" | "share update exclusive" | "share" | "share row exclusive" | "access exclusive";

/** PostgreSQL's table locks that matter to others, from weak to strong. The group is tables, or an index. */
const rules: readonly (readonly [Mode, RegExp])[] = [
  ["row exclusive", /(?<!do |for |before |or )\bupdate (?!set\b|on\b)([\w.]+)/g],
  ["row exclusive", /\b(?:insert into|delete from) ([\w.]+)/g],
  ["share update exclusive", /\balter table ([\w.]+) (?:set \(|validate )/g],
  ["share update exclusive", /\b(?:drop index concurrently|create index concurrently \w+ on) ([\w.]+)/g],
  ["share update exclusive", /\bmake_partitions\('(\w+)'/g],
  ["share", /\bcreate index (?!concurrently)\w+ on ([\w.]+)/g],
  ["share row exclusive", /\b(?:trigger \w+ before [\w ]+ on|references) ([\w.]+)/g],
  ["access exclusive", /\balter table ([\w.]+) (?!set \(|validate )/g],
  ["access exclusive", /\bdrop (?:table|index) (?!concurrently)([\w.]+)/g],
  ["access exclusive", /\bcreate policy \w+ on ([\w.]+)/g],
  ["access exclusive", /\block table ([\w., ]+) in access exclusive mode/g],
];

const stopsWrites = (mode: Mode): boolean => mode !== "row exclusive" && mode !== "share update exclusive";

const long =
  /\bcreate index (?!concurrently)|\badd primary key\b|\bset (unlogged|not null)\b|\binsert into [\w.]+ .*\bselect\b|\bdelete from|^update\b/;

/** True if a statement takes the longer the more rows there are; steps, with a commit of their own, do not count. */
const isLong = (text: string): boolean => long.test(text) && !/\bcommit;/.test(text);

/** The statements that take locks, each in one line. A function's body runs later. */
const inLines = (statements: readonly string[]): string[] =>
  statements
    .map((text) =>
      text
        .replace(/\s+/g, " ")
        .replace(/ if (not )?exists\b/g, "")
        .trim(),
    )
    .filter((text) => !/^create (or replace )?function\b/.test(text));

/** A table, or an index with its table, and PostgreSQL's estimate of the table's rows. */
type Relation = Readonly<{ name: string; table: string; rows: number }>;

/** A partitioned table has the rows of its partitions. A table that nobody has analysed yet counts -1. */
const relations = `
  select case n.nspname when 'public' then '' else n.nspname || '.' end || c.relname as name, t.oid::regclass::text as table,
    greatest(0, coalesce((
      select sum(p.reltuples) from pg_inherits i join pg_class p on p.oid = i.inhrelid and p.reltuples > 0
      where i.inhparent = t.oid), t.reltuples))::float8 as rows
  from pg_class c
  join pg_namespace n on n.oid = c.relnamespace and n.nspname in ('public', 'identity')
  left join pg_index x on x.indexrelid = c.oid
  join pg_class t on t.oid = coalesce(x.indrelid, c.oid) and t.relkind in ('r', 'p')`;

/** The strongest lock on each table that exists. Nobody else can use the others. */
function locksOf(lines: readonly string[], known: ReadonlyMap<string, Relation>) {
  const locks = new Map<string, Relation & Readonly<{ mode: Mode }>>();
  for (const [mode, pattern] of rules)
    for (const [, names = ""] of lines.flatMap((line) => [...line.matchAll(pattern)]))
      for (const name of names.split(", ")) {
        const relation = known.get(name);
        if (relation) locks.set(relation.table, { ...relation, mode });
      }
  return [...locks.values()].toSorted((one, other) => (one.table < other.table ? -1 : 1));
}

/** @returns a line for each pending migration: its locks, the rows of the tables, and if writes wait for work on rows */
export async function planOf(
  pool: Pick<Pool, "query">,
  pending: readonly ListedMigration[],
): Promise<readonly string[]> {
  const { rows } = await pool.query<Relation>(relations);
  const known = new Map(rows.map((relation) => [relation.name, relation]));
  return pending.map(({ name, isOnline, statements }) => {
    const lines = inLines(statements);
    // The statements of an online migration hold no lock of an earlier one.
    const parts = isOnline ? lines.map((line) => [line]) : [lines];
    const waits = parts.some(
      (part) =>
        part.some(isLong) && locksOf(part, known).some((lock) => stopsWrites(lock.mode) && lock.rows > 0),
    );
    const locks = locksOf(lines, known).map(
      (lock) => `${lock.mode} on ${lock.table} (${lock.rows.toLocaleString("en")} rows)`,
    );
    return `${name.padEnd(34)}${waits ? "writes wait" : "online"}  ${locks.join(", ") || "no table in use"}`;
  });
}
