import type { MikroORM } from "@mikro-orm/postgresql";
import { categoryMembers, categoryReturns } from "./category-members.ts";
import { note, removal, stamp, toldOf } from "./deletion-notes.ts";
import { habitHistories } from "./habit-histories.ts";
import { readImportKeys } from "./import-keys.ts";
import { deletedCompletions, habitReturns } from "./returns/habits.ts";
import type { Column, Table, TableMap, TableName } from "./table.ts";
import { begunWorks } from "./works.ts";

/** A table comes after those that it refers to. */
const writeOrder = [
  "users",
  "categories",
  "habits",
  "habit_completions",
  "todos",
  "reminders",
  "reminder_deliveries",
  "action_log",
  "action_images",
  "deletions",
  "import_parts",
  "import_keys",
  "calendar_feeds",
  "inbox",
  "byte_ledger",
] as const satisfies readonly Exclude<
  TableName,
  | "category_members"
  | "category_returns"
  | "habit_histories"
  | "habit_returns"
  | "deleted_completions"
  | "works"
>[];

/** A category or habit that comes back loses the note of its deletion, so that there is one of each at the most. */
const keyOfDeletion = ["user_id", "kind", "id"];

/** Derives every statement from MikroORM's metadata. */
export function describeTables(orm: MikroORM): TableMap {
  const metadata = [...orm.getMetadata().getAll().values()];
  const described = writeOrder.map((name): [TableName, Table] => {
    const entity = metadata.find(({ tableName }) => tableName === name);
    if (!entity) throw new Error(`No entity describes the table ${name}.`);
    const columns = entity.props.map((prop) => ({
      name: prop.fieldNames[0] ?? prop.name,
      type: prop.columnTypes[0] ?? "text",
    }));
    const keyNames: readonly string[] = name === "deletions" ? keyOfDeletion : entity.primaryKeys;
    const key = columns.filter((column) => keyNames.includes(column.name));
    const sql = statements(name, columns, key);
    const own = ownStatements(name);
    const table = { name, columns, key, sql: { ...sql, ...own } };
    return [name, table];
  });
  described.push(
    ["category_members", categoryMembers],
    ["category_returns", categoryReturns],
    ["habit_histories", habitHistories],
    ["habit_returns", habitReturns],
    ["deleted_completions", deletedCompletions],
    ["works", begunWorks],
  );
  return Object.fromEntries(described) as unknown as TableMap;
}

const heavy = ["completed_dates", "completed_times"];

/** What is read or written otherwise than a row by its key. */
function ownStatements(name: TableName): Partial<Table["sql"]> {
  if (name === "deletions") return { insert: note, upsert: note, update: note };
  // No command removes these; upkeep does with the account.
  if (name === "byte_ledger") return { remove: "" };
  return name === "import_keys" ? { read: readImportKeys, remove: "" } : {};
}

function statements(name: TableName, columns: readonly Column[], key: readonly Column[]): Table["sql"] {
  const keys = keyRows(key);
  const names = columns.map((column) => column.name).join(", ");
  const keyNames = key.map((column) => column.name).join(", ");
  const typed = columns.map((column) => `${column.name} ${column.type}`).join(", ");
  const changed = columns.filter((column) => !key.includes(column));
  const written = [...changed.map((column) => column.name), ...(name in toldOf ? [stamp] : [])];
  const assignments = written.map((column) => `${column} = excluded.${column}`).join(", ");
  const match = key.map((column) => `t.${column.name} = v.${column.name}::${column.type}`).join(" and ");
  // A lateral subquery and an upsert leave the planner no choice but the key's index. As a join it scans the
  // table while that is young and its statistics call it empty: measured 20 ms a look-up instead of 0.1.
  // A deleted habit can have thousands of completions, which only statements read.
  const shown = name === "deletions" ? columns.filter((column) => !heavy.includes(column.name)) : columns;
  const read = shown.map((column) => column.name).join(", ");
  const rows = (how: string) =>
    `select t.* from ${keys} cross join lateral (select ${read} from ${name} t where ${match} ${how}) t`;
  const ofUsers = `${keyRows(key.slice(0, 1))} cross join lateral (select * from ${name} t where t.user_id = v.user_id offset 0) t`;
  const skipLocked = (how: string) =>
    `select ${[...key.map((column) => `v.${column.name}`), ...changed.map((column) => `t.${column.name}`)].join(", ")}
     from ${keys} cross join lateral (select from ${name} t where ${match} offset 0) found
     left join lateral (select * from ${name} t where ${match} ${how} skip locked) t on true`;
  // JSON is encoded natively, where arrays cost an escape of every element: measured a third of the processor time.
  const insert = `insert into ${name} (${names}) select ${names} from json_to_recordset($1) v(${typed})`;
  const upsert = `${insert} on conflict (${keyNames}) do update set ${assignments}`;
  return {
    forUpdate: rows("for update"),
    forUpdateSkipLocked: skipLocked("for update"),
    forKeyShare: rows("for key share"),
    forKeyShareSkipLocked: skipLocked("for key share"),
    allForUpdate: `select t.* from ${name} t where t.user_id = any($1::text[]) order by ${keyNames} for update`,
    read: rows("offset 0"),
    readAll: `select t.* from ${ofUsers}`,
    insert,
    upsert: sums[name] ? `${insert} ${sums[name]}` : upsert,
    // A row of the log stands as it is, but for what took it back.
    update:
      name === "action_log"
        ? `update ${name} t set undone_by = v.undone_by from json_to_recordset($1) v(${typed}) where ${match}`
        : upsert,
    remove: removal(name, `delete from ${name} t using ${keys} where ${match}`),
  };
}

/** A redelivered call leaves its row as it is; a row that counts refused calls adds them up, as one of bytes does. */
const sums: Partial<Record<TableName, string>> = {
  action_log: `on conflict (user_id, called_at, request_id) do update
    set calls = action_log.calls + excluded.calls where excluded.outcome = 'rate_limited'`,
  byte_ledger: `on conflict (user_id, kind, expires_at) do update set bytes = byte_ledger.bytes + excluded.bytes`,
};

/** Keys as rows, from one array per column. Numbers are bound as they are, other types as text that is cast. */
function keyRows(key: readonly Column[]): string {
  const arrays = key.map(({ type }, index) => `$${index + 1}::${type === "bigint" ? type : "text"}[]`);
  return `unnest(${arrays.join(", ")}) v(${key.map(({ name }) => name).join(", ")})`;
}
