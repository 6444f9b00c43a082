import { createWriteStream, mkdirSync } from "node:fs";
import { open, rename } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createZstdCompress } from "node:zlib";
import type { Pool, PoolClient } from "pg";

const rowsAtOnce = 5_000;

type Month = Readonly<{ name: string; state: "attached" | "detaching" | "detached" }>;

/** Tables of the log for months before one such as `202606`, including those that an interrupted run left. */
const monthsBefore = `
  select c.relname::text as name,
    case when i.inhdetachpending then 'detaching' when i.inhrelid is not null then 'attached' else 'detached' end as state
  from pg_class c
  left join pg_inherits i on i.inhrelid = c.oid
  where c.relkind = 'r' and pg_table_is_visible(c.oid) and c.relname ~ '^action_log_all_\\d{8}_\\d{4}$'
    and c.relname < 'action_log_all_' || $1
  order by 1`;

/**
 * Moves whole months of the action log out of the database: detaches each table without delaying anybody, writes it to
 * `folder` as compressed JSON lines, then drops it.
 * @param before the first month that stays, as digits: `202606`
 * @returns the written files
 */
export async function archiveMonths(pool: Pool, folder: string, before: string): Promise<string[]> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const { rows: months } = await pool.query<Month>(monthsBefore, [before]);
  const files: string[] = [];
  for (const { name, state } of months) {
    if (state !== "detached")
      await pool.query(
        `alter table action_log detach partition ${name} ${state === "detaching" ? "finalize" : "concurrently"}`,
      );
    const file = join(folder, `${name}.jsonl.zst`);
    await writeTable(pool, name, file);
    await pool.query(`drop table ${name}`);
    files.push(file);
  }
  return files;
}

async function writeTable(pool: Pool, table: string, file: string): Promise<void> {
  const client = await pool.connect();
  try {
    const draft = createWriteStream(`${file}.new`, { mode: 0o600 });
    await pipeline(Readable.from(linesOf(client, table)), createZstdCompress(), draft);
    const written = await open(`${file}.new`, "r");
    await written.sync().finally(() => written.close());
    await rename(`${file}.new`, file);
  } finally {
    // Closing the connection ends the cursor's transaction, even if writing has failed.
    client.release(true);
  }
}

async function* linesOf(client: PoolClient, table: string): AsyncGenerator<string> {
  await client.query("begin");
  await client.query(
    `declare log cursor for select row_to_json(t)::text as line from ${table} t order by called_at, request_id`,
  );
  for (;;) {
    const { rows } = await client.query<{ line: string }>(`fetch ${rowsAtOnce} from log`);
    if (rows.length === 0) return;
    yield rows.map(({ line }) => `${line}\n`).join("");
  }
}
