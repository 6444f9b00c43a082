import type { Pool } from "pg";

/** A statement and its values. */
export type Asked = Readonly<{ text: string; values: readonly unknown[] }>;

/** The reads of a statement: numbers that are the same on every machine. */
type Reads = Readonly<{
  /** Rows of tables, including those that a filter dropped. */
  rows: number;
  /** Index entries that needed no row. */
  entries: number;
  sorted: number;
}>;

type Plan = Readonly<{
  "Node Type": string;
  "Relation Name"?: string;
  "Actual Rows": number;
  "Actual Loops": number;
  "Rows Removed by Filter"?: number;
  Plans?: Plan[];
}>;

/** Runs a statement as a prepared one and counts what its plan reads. */
export async function readsOf(pool: Pick<Pool, "query">, { text, values }: Asked): Promise<Reads> {
  await pool.query(`prepare looked_at as ${text}`);
  const run = `execute looked_at (${values.map(literal).join(", ")})`;
  const { rows } = await pool.query(`explain (analyze, timing off, format json) ${run}`);
  await pool.query("deallocate looked_at");
  return reads(rows[0]["QUERY PLAN"][0].Plan);
}

function reads(plan: Plan): Reads {
  const below = (plan.Plans ?? []).map(reads);
  const sum = (kind: keyof Reads) => below.reduce((total, one) => total + one[kind], 0);
  const read = (plan["Actual Rows"] + (plan["Rows Removed by Filter"] ?? 0)) * plan["Actual Loops"];
  const isIndexOnly = plan["Node Type"] === "Index Only Scan";
  return {
    rows: sum("rows") + (plan["Relation Name"] && !isIndexOnly ? read : 0),
    entries: sum("entries") + (isIndexOnly ? read : 0),
    sorted: sum("sorted") + (/Sort/.test(plan["Node Type"]) ? read : 0),
  };
}

function literal(value: unknown): string {
  if (value === null || value === undefined) return "null";
  if (Array.isArray(value)) return `array[${value.map(literal).join(", ")}]::text[]`;
  return `'${String(value).replaceAll("'", "''")}'`;
}
