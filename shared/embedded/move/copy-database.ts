import type { SQL, TransactionSQL } from "bun";
import { dropForeignKeys, listTables, type MovedTable, takePartitions, takeSequences } from "./catalogue.ts";

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
export async function copyDatabase(source: SQL, target: SQL, report: (line: string) => void): Promise<void> {
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
  const read = async (sql: TransactionSQL): Promise<{ rows: string; hash: string }> => {
    const [sums] = await sql.unsafe(`
      select count(*)::text as rows, sum(('x' || left(md5(row(${columns})::text), 16))::bit(64)::bigint)::text as hash
      from ${name}`);
    return sums;
  };
  const [before, after] = await Promise.all([read(from), read(to)]);
  if (before.rows !== after.rows || before.hash !== after.hash)
    throw new Error(`${name} has ${before.rows} rows here and ${after.rows} there, or others.`);
  return `${name.padEnd(32)}${Number(after.rows).toLocaleString("en")} rows`;
}
