import type { QueryArrayResult } from "pg";

/** PostgreSQL takes only constants here. */
const takesNoColumn = /\b(limit|offset)\s+\$/i;

/**
 * Rows come back in the order of each read's own statement, because they are numbered before they are joined.
 * @returns undefined for a statement without values, or for one that has to run by itself
 */
export function batchTextOf(text: string): string | undefined {
  const count = Math.max(0, ...Array.from(text.matchAll(/\$(\d+)/g), ([, place]) => Number(place)));
  if (count === 0 || takesNoColumn.test(text)) return undefined;
  const places = Array.from({ length: count }, (_, index) => index + 1);
  return `
    select k.read_no, q.* from unnest(${places.map((place) => `$${place}::text[]`).join(", ")})
      with ordinality k(${places.map((place) => `p${place}`).join(", ")}, read_no)
    cross join lateral (select row_number() over () as row_no, s.* from (${text.replace(/\$(\d+)/g, "k.p$1")}) s) q
    order by k.read_no, q.row_no`;
}

type BatchedRead = Readonly<{ values: readonly unknown[] }>;

/** Asks a batch's text for reads of one statement. */
export function batchQuery(text: string, reads: readonly BatchedRead[]) {
  const places = reads[0]?.values.keys() ?? [];
  const values = Array.from(places, (place) => reads.map((read) => read.values[place]));
  return { text, values, rowMode: "array" as const };
}

/** The number of the read and that of the row come before its columns. */
const numbers = 2;

/**
 * The rows of each read that has any, by its place among the reads. They come as arrays, because copying each object without its numbers
 * cost as much as reading it.
 */
export function batchResults({ fields, rows }: QueryArrayResult<unknown[]>): object[][] {
  const names = fields.map(({ name }) => name);
  const results: object[][] = [];
  for (const row of rows) {
    const columns: Record<string, unknown> = {};
    for (let place = numbers; place < row.length; place++) columns[names[place] ?? ""] = row[place];
    const read = Number(row[0]) - 1;
    results[read] ??= [];
    results[read].push(columns);
  }
  return results;
}

/** @returns undefined when the server did not answer */
export function sqlStateOf(error: unknown): string | undefined {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" && /^[0-9A-Z]{5}$/.test(code) ? code : undefined;
}
