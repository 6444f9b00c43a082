import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { SQL, type TransactionSQL } from "bun";
import { loadCommonConfig } from "../../process/config.ts";
import { elapsed } from "../explain.ts";
import { lockDataDir } from "../lock.ts";
import { startPostgres } from "../servers/postgres.ts";

/** A table with its columns, as SQL names them. Partitions belong to their table. */
type MovedTable = Readonly<{ name: string; columns: string }>;

const isOwn = (schema: string) => `${schema} !~ '^pg_' and ${schema} <> 'information_schema'`;

/** All tables, in the order of their names. Generated columns are left out, because nobody can write them. */
function listTables(sql: TransactionSQL): Promise<readonly MovedTable[]> {
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
async function takePartitions(from: TransactionSQL, to: TransactionSQL): Promise<void> {
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
async function dropForeignKeys(sql: TransactionSQL): Promise<() => Promise<void>> {
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
async function takeSequences(from: TransactionSQL, to: TransactionSQL): Promise<void> {
  const used = await from.unsafe(`
    select format('%I.%I', schemaname, sequencename) as name, (last_value + increment_by - 1)::text as value from pg_sequences
    where last_value is not null and ${isOwn("schemaname")}`);
  for (const { name, value } of used) await to.unsafe(`select setval('${name}', ${value})`);
}

const rowsAtOnce = 500;

/** Values are the same text on servers of all releases. */
const plainText = `
  select set_config(name, value, true) from (values ('timezone', 'UTC'), ('datestyle', 'ISO'), ('intervalstyle', 'postgres'),
    ('bytea_output', 'hex'), ('extra_float_digits', '1')) as settings (name, value)`;

/**
 * Replaces all rows of a database by those of another one with the same tables. Both sides are one transaction, so a
 * failure changes nothing.
 * @param report receives a line for each table whose rows were compared
 * @throws when the tables differ, or a table's rows are not the same afterwards
 */
async function copyDatabase(source: SQL, target: SQL, report: (line: string) => void): Promise<void> {
  await source.begin("isolation level repeatable read read only", (from) =>
    target.begin(async (to) => {
      for (const side of [from, to]) await side.unsafe(plainText);
      const tables = await listTables(from);
      demandSame(tables, await listTables(to));
      await takePartitions(from, to);
      const restoreForeignKeys = await dropForeignKeys(to);
      for (const table of tables) await copyRows(from, to, table);
      await takeSequences(from, to);
      await restoreForeignKeys();
      for (const table of tables) report(await compareRows(from, to, table));
      // The numbers of transactions in the rows are those of the other server.
      await to.unsafe("select renew_changes()");
    }),
  );
  await target.unsafe("analyze");
}

function demandSame(tables: readonly MovedTable[], others: readonly MovedTable[]): void {
  const text = ({ name, columns }: MovedTable) => `${name} (${columns})`;
  const known = new Set(others.map(text));
  const strange = tables.filter((table) => !known.has(text(table)));
  if (strange.length > 0 || tables.length < others.length)
    throw new Error(
      `The databases have other tables (${strange.map(({ name }) => name).join(", ")}): start this release once on the old one, without DATABASE_URL, and stop it.`,
    );
}

/** Rows travel as text, because a row's text is read again by every release without loss. */
async function copyRows(
  from: TransactionSQL,
  to: TransactionSQL,
  { name, columns }: MovedTable,
): Promise<void> {
  await to.unsafe(`truncate ${name}`);
  await to.unsafe(`alter table ${name} disable trigger user`);
  await to.unsafe(`create temporary table incoming as select ${columns} from ${name} with no data`);
  await from.unsafe(`declare outgoing no scroll cursor for select row(${columns})::text as row from ${name}`);
  for (;;) {
    const rows: { row: string }[] = await from.unsafe(`fetch ${rowsAtOnce} from outgoing`);
    if (rows.length === 0) break;
    await to.unsafe(
      `insert into ${name} (${columns}) overriding system value
       select (row).* from (select json_array_elements_text($1::text::json)::pg_temp.incoming as row) given`,
      [JSON.stringify(rows.map(({ row }) => row))],
    );
  }
  await from.unsafe("close outgoing");
  await to.unsafe("drop table pg_temp.incoming");
  await to.unsafe(`alter table ${name} enable trigger user`);
}

/** @throws when the number or the hash of a table's rows differs */
async function compareRows(
  from: TransactionSQL,
  to: TransactionSQL,
  { name, columns }: MovedTable,
): Promise<string> {
  const sums = `
    select count(*)::text as rows, sum(('x' || left(md5(row(${columns})::text), 16))::bit(64)::bigint)::text as hash
    from ${name}`;
  const [[before], [after]] = await Promise.all([from.unsafe(sums), to.unsafe(sums)]);
  if (before.rows !== after.rows || before.hash !== after.hash)
    throw new Error(`${name} has ${before.rows} rows here and ${after.rows} there, or others.`);
  return `${name.padEnd(32)}${Number(after.rows).toLocaleString("en")} rows`;
}

const migrations = resolve(import.meta.dir, "../../../workers/upkeep/migrate.ts");
const oldestRelease = 15;

/** `npm run admin -- move`: copies the embedded database of DATA_DIR into the empty one of DATABASE_URL. */
async function main(): Promise<void> {
  const start = performance.now();
  const { databaseUrl, dataDir: folder } = loadCommonConfig();
  if (databaseUrl === undefined)
    throw new Error("Set DATABASE_URL to the empty database that shall have the data.");
  const dataDir = resolve(folder);
  const cluster = join(dataDir, "postgres");
  if (!existsSync(cluster)) throw new Error(`There is no database of npm start in ${dataDir}.`);
  lockDataDir(dataDir);
  const target = new SQL(databaseUrl, { max: 1, idleTimeout: 0 });
  await demandEmpty(target);
  const { url, stop } = await startPostgres(dataDir);
  const source = new SQL(url, { max: 1, idleTimeout: 0 });
  try {
    await migrateTarget();
    await copyDatabase(source, target, (line) => console.log(`  ${line}`));
  } finally {
    await Promise.all([source.close(), target.close()]);
    await stop();
  }
  console.log(`Moved in ${elapsed(start)}; every table has the same rows on both sides.`);
  console.log(`Start Kept with this DATABASE_URL. The old database stays in ${cluster}.`);
}

async function demandEmpty(target: SQL): Promise<void> {
  const [{ release, tables }] = await target`
    select current_setting('server_version_num')::int / 10000 as release,
      (select count(*)::int from pg_tables where schemaname !~ '^pg_' and schemaname <> 'information_schema') as tables`;
  if (release < oldestRelease)
    throw new Error(`DATABASE_URL names a PostgreSQL ${release}; ${oldestRelease} or newer is needed.`);
  if (tables > 0)
    throw new Error("The database of DATABASE_URL is not empty. Drop it, create it anew and try again.");
}

/** @throws when the tables could not be made; migrate has said why */
async function migrateTarget(): Promise<void> {
  const { exited } = Bun.spawn([process.execPath, migrations], { stdio: ["ignore", "inherit", "inherit"] });
  if ((await exited) !== 0) throw new Error("The tables could not be made in the database of DATABASE_URL.");
}

await main().catch((error: Error) => {
  console.error(`Nothing was moved. ${error.message}`);
  process.exit(1);
});
