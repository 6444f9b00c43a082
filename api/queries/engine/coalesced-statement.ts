import type { QueryArrayResult } from "pg";

/** PostgreSQL refuses a column of the lateral join here. */
const takesNoColumn = /\b(limit|offset)\s+\$/i;

/**
 * Makes the text that runs a statement for many reads. Rows are numbered before the join, so each read keeps its order.
 * @returns undefined for a statement without values, and for one that cannot take columns
 */
export function coalescedTextOf(text: string): string | undefined {
  const count = Math.max(0, ...Array.from(text.matchAll(/\$(\d+)/g), ([, number]) => Number(number)));
  if (count === 0 || takesNoColumn.test(text)) return undefined;
  const numbers = Array.from({ length: count }, (_, index) => index + 1);
  return `
    select k.read_no, q.* from unnest(${numbers.map((number) => `$${number}::text[]`).join(", ")})
      with ordinality k(${numbers.map((number) => `p${number}`).join(", ")}, read_no)
    cross join lateral (select row_number() over () as row_no, s.* from (${text.replace(/\$(\d+)/g, "k.p$1")}) s) q
    order by k.read_no, q.row_no`;
}

type CoalescedRead = Readonly<{ values: readonly unknown[] }>;

/** Fills the text with the values of the reads: one array for each parameter. */
export function coalescedQuery(text: string, reads: readonly CoalescedRead[]) {
  const indexes = reads[0]?.values.keys() ?? [];
  const values = Array.from(indexes, (index) => reads.map((read) => read.values[index]));
  return { text, values, rowMode: "array" as const };
}

/** Two columns come first: the number of the read and that of the row. */
const numberColumns = 2;

/**
 * The rows of each read, by the index of the read. Rows come as arrays, because removing the numbers from objects costs as
 * much as reading them.
 */
export function coalescedResults({ fields, rows }: QueryArrayResult<unknown[]>): object[][] {
  const names = fields.map(({ name }) => name);
  const results: object[][] = [];
  for (const row of rows) {
    const columns: Record<string, unknown> = {};
    for (let index = numberColumns; index < row.length; index++) columns[names[index] ?? ""] = row[index];
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
