import Format from "typebox/format";
import { deletionKinds } from "../../../shared/db/entities/things.ts";
import { join, literal, sql } from "../../../shared/db/reads/sql.ts";
import type { QueryContext } from "../engine/context.ts";

const tables = ["categories", "habits", "todos"] as const;
type Table = (typeof tables)[number];

/** A thing of a file with its key; in a file by Kept, also its id and time in the service that made the file. */
export type ThingOfFile = Readonly<{
  kind: string;
  key: string;
  origin?: Readonly<{ id: number; created_at: string }>;
}>;

/** @returns whether each thing of a file exists here: from an earlier import, or because the file was made here */
export async function readWhatIsHere(
  query: QueryContext,
  things: readonly ThingOfFile[],
): Promise<readonly boolean[]> {
  const imported = await readImportedKeys(
    query,
    things.map(({ key }) => key),
  );
  const [keys, own] = [new Set(imported), new Set<string>()];
  for (const table of tables) {
    const origins = things.flatMap(({ kind, origin }) => (kind === table && origin ? [origin] : []));
    for (const id of await readSame(query, table, origins)) own.add(`${table} ${id}`);
  }
  return things.map(
    ({ kind, key, origin }) => keys.has(key) || (origin !== undefined && own.has(`${kind} ${origin.id}`)),
  );
}

async function readImportedKeys(query: QueryContext, keys: readonly string[]): Promise<readonly string[]> {
  if (keys.length === 0) return [];
  const rows = await query.stepInTurn(({ own, rows: run }) => {
    const here = tables.map(
      (table) => sql`(k.kind = ${literal(deletionKinds[table])} and exists (
        select from ${own(table)} x where x.id = k.id))`,
    );
    return run(sql<{ key: string }>`
      select k.key from ${own("import_keys")} k
      where k.key = any(${`{${keys.join(",")}}`}::text[]) and (${join(here, " or ")})`);
  });
  return rows.map(({ key }) => key);
}

async function readSame(
  query: QueryContext,
  table: Table,
  origins: readonly NonNullable<ThingOfFile["origin"]>[],
): Promise<readonly number[]> {
  const known = origins.filter(({ id, created_at }) => Number.isSafeInteger(id) && isInstant(created_at));
  if (known.length === 0) return [];
  const ids = `{${known.map(({ id }) => id).join(",")}}`;
  const times = `{${known.map(({ created_at }) => created_at).join(",")}}`;
  const rows = await query.stepInTurn(({ own, rows: run }) =>
    run(sql<{ id: number }>`
      select v.id from unnest(${ids}::bigint[], ${times}::timestamptz[]) v(id, created_at)
      where exists (select from ${own(table)} x where x.id = v.id and x.created_at = v.created_at)`),
  );
  return rows.map(({ id }) => id);
}

/** PostgreSQL takes no other numbers, and a file may contain anything. */
const isInstant = (text: string): boolean => Format.Test("action-time", text);
