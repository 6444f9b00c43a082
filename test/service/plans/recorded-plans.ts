import { existsSync, readFileSync } from "node:fs";
import { SQL } from "bun";

/** A statement as PostgreSQL ran it, with the plan that it chose. */
export type PlannedStatement = Readonly<{ text: string; plan: PlanNode }>;

export type PlanNode = Readonly<{
  "Node Type": string;
  "Relation Name"?: string;
  "Index Name"?: string;
  "Index Cond"?: string;
  "Recheck Cond"?: string;
  Filter?: string;
  Plans?: readonly PlanNode[];
}>;

/**
 * Makes PostgreSQL log the plans of all later statements, including those of functions and foreign keys, so that
 * nobody has to keep a list. Plans are generic, as those of prepared statements become under load.
 */
export async function logPlans(databaseUrl: string): Promise<void> {
  const settings = {
    session_preload_libraries: "auto_explain",
    "auto_explain.log_min_duration": "0",
    "auto_explain.log_nested_statements": "on",
    "auto_explain.log_format": "json",
    "auto_explain.log_parameter_max_length": "0",
    plan_cache_mode: "force_generic_plan",
  };
  const database = new URL(databaseUrl).pathname.slice(1);
  const sql = new SQL(databaseUrl, { max: 1 });
  for (const [name, value] of Object.entries(settings))
    await sql.unsafe(`alter database ${database} set ${name} = '${value}'`);
  // Only new sessions have the settings.
  await sql`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = ${database} and pid <> pg_backend_pid()`;
  await sql.close();
}

/** Reads PostgreSQL's log, which may have been turned over once: each statement once with each of its plans. */
export function readPlans(logFile: string): PlannedStatement[] {
  const texts = [`${logFile}.1`, logFile].filter(existsSync).map((file) => readFileSync(file, "utf8"));
  const plans = texts.join("").matchAll(/LOG: {2}duration: \S+ ms {2}plan:\n(\t\{\n(?:\t.*\n)+?\t\}\n)/g);
  return [...new Set([...plans].map(([, json = ""]) => json))].map((json) => {
    const { "Query Text": text, Plan: plan } = JSON.parse(json);
    return { text, plan };
  });
}

/** The first column of each index, by the index's name. */
export async function readLeadingColumns(databaseUrl: string): Promise<ReadonlyMap<string, string>> {
  const sql = new SQL(databaseUrl, { max: 1 });
  const rows: { name: string; column: string }[] = await sql`
    select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid, 1, true) as column from pg_index`;
  await sql.close();
  return new Map(rows.map(({ name, column }) => [name.replace(/^\w+\./, ""), column]));
}

/** These pass rows on one by one, so that a LIMIT above them also ends the scan below. */
const onePerRow = ["Limit", "LockRows", "Append", "Merge Append", "Subquery Scan", "Result", "Nested Loop"];

/**
 * An index of open deliveries only, a list of closed accounts that is searched once a minute, files of one day,
 * active webhooks, and single rows.
 */
const fewRows = [
  ...["reminder_deliveries_open", "deleted_users", "import_parts_pkey", "webhooks_active"],
  ...["keyless_replies", "change_horizon", "upkeep_clock"],
];

/**
 * Scans that read a whole table or index: their cost grows with the number of all users. A scan of an index in its
 * order up to a LIMIT is fine if every row that it reads counts.
 */
export function wholeScans(
  node: PlanNode,
  leadingColumns: ReadonlyMap<string, string>,
  underLimit = false,
): string[] {
  const { "Node Type": type, "Relation Name": table, "Index Name": index } = node;
  const limited = type === "Limit" || (underLimit && onePerRow.includes(type));
  const below = (node.Plans ?? []).flatMap((child) => wholeScans(child, leadingColumns, limited));
  if (table?.startsWith("pg_") || fewRows.includes(index ?? table ?? "")) return below;
  if (type === "Seq Scan") return [`${type} on ${table}`, ...below];
  if (index === undefined) return below;
  const column = leadingColumns.get(index) ?? "no column";
  const isLookup = new RegExp(`\\b${column}\\b`).test(node["Index Cond"] ?? "");
  const isOrdered = underLimit && node.Filter === undefined;
  return isLookup || isOrdered ? below : [`whole ${type} of ${index}`, ...below];
}
