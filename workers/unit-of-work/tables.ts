import type { MikroORM } from "@mikro-orm/postgresql";
import { deletionKinds } from "../../shared/db/entities/deletion.ts";
import { categoryMembers, categoryReturns } from "./category-members.ts";
import type { Column, Table, TableMap, TableName } from "./table.ts";

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
  "inbox",
] as const satisfies readonly Exclude<TableName, "category_members" | "category_returns">[];

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
    const written = name === "deletions" ? { insert: note, upsert: note, update: note } : {};
    return [name, { name, columns, key, sql: { ...sql, ...written } }];
  });
  described.push(["category_members", categoryMembers], ["category_returns", categoryReturns]);
  return Object.fromEntries(described) as unknown as TableMap;
}

/**
 * Clients that keep a copy are told of what is written to these tables, by the number of the transaction that last wrote
 * a row. Its default is the present one, in new rows as in `excluded`. Triggers do the same for other tables they see.
 */
const toldOf: Partial<Record<TableName, number>> = deletionKinds;
const stamp = "changed_xid";

function statements(name: TableName, columns: readonly Column[], key: readonly Column[]): Table["sql"] {
  const names = columns.map((column) => column.name).join(", ");
  const keyNames = key.map((column) => column.name).join(", ");
  const typed = columns.map((column) => `${column.name} ${column.type}`).join(", ");
  const changed = columns.filter((column) => !key.includes(column));
  const written = [...changed.map((column) => column.name), ...(name in toldOf ? [stamp] : [])];
  const assignments = written.map((column) => `${column} = excluded.${column}`).join(", ");
  const match = key.map((column) => `t.${column.name} = v.${column.name}::${column.type}`).join(" and ");
  // A lateral subquery and an upsert leave the planner no choice but the key's index. As a join it scans the
  // table while that is young and its statistics call it empty: measured 20 ms a look-up instead of 0.1.
  const rows = (how: string) =>
    `select t.* from ${unnest(key)} cross join lateral (select * from ${name} t where ${match} ${how}) t`;
  const ofUsers = `unnest($1::text[]) v(user_id) cross join lateral (select * from ${name} t where t.user_id = v.user_id offset 0) t`;
  const skipLocked = (how: string) =>
    `select ${[...key.map((column) => `v.${column.name}`), ...changed.map((column) => `t.${column.name}`)].join(", ")}
     from ${unnest(key)} cross join lateral (select from ${name} t where ${match} offset 0) found
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
    upsert: name === "action_log" ? `${insert} ${countOnce}` : upsert,
    // A row of the log stands as it is, but for what took it back.
    update:
      name === "action_log"
        ? `update ${name} t set undone_by = v.undone_by from json_to_recordset($1) v(${typed}) where ${match}`
        : upsert,
    remove: removal(name, `delete from ${name} t using ${unnest(key)} where ${match}`),
  };
}

/**
 * Of what this transaction made and deletes again, no statement notes what hung on it; and the members that it deletes
 * before their category are not there any more when that goes: it adds the others to this note.
 */
const note = `
  with noted as (
    select * from json_to_recordset($1) v(user_id text, kind smallint, id bigint,
      completed_dates date[], completed_times timestamptz[], habit_ids bigint[], todo_ids bigint[])
  ), forgotten as (
    delete from deletions d using noted n where d.user_id = n.user_id and d.kind = n.kind and d.id = n.id
  )
  insert into deletions
    (user_id, changed_xid, kind, id, deleted_at, completed_dates, completed_times, habit_ids, todo_ids)
  select user_id, pg_current_xact_id(), kind, id, now(), completed_dates, completed_times, habit_ids, todo_ids
  from noted`;

/** By key and never by ctid, which is unique in one partition only. Connections for writes plan it along the key. */
function removal(name: TableName, statement: string): string {
  const kind = toldOf[name];
  if (kind === undefined) return statement;
  const { columns, values, noted } = hangingOn[name] ?? { columns: "", values: "", noted: "" };
  return `with gone as (${statement} returning t.user_id, t.id)
    insert into deletions (user_id, changed_xid, kind, id, deleted_at${columns})
    select g.user_id, pg_current_xact_id(), ${kind}, g.id, now()${values} from gone g ${noted}`;
}

/** What a deletion takes with it and its undoing brings back: all parts of a statement see the rows as before it. */
const hangingOn: Partial<Record<TableName, Readonly<{ columns: string; values: string; noted: string }>>> = {
  habits: {
    columns: ", completed_dates, completed_times",
    values: `,
      (select array_agg(c.local_date order by c.local_date) from habit_completions c where c.user_id = g.user_id and c.habit_id = g.id),
      (select array_agg(c.completed_at order by c.local_date) from habit_completions c where c.user_id = g.user_id and c.habit_id = g.id)`,
    noted: "",
  },
  categories: {
    columns: ", habit_ids, todo_ids",
    values: `,
      (select array_agg(h.id order by h.id) from habits h where h.user_id = g.user_id and h.category_id = g.id),
      (select array_agg(t.id order by t.id) from todos t where t.user_id = g.user_id and t.category_id = g.id)`,
    noted: `on conflict (user_id, changed_xid, kind, id) do update set
      habit_ids = deletions.habit_ids || excluded.habit_ids, todo_ids = deletions.todo_ids || excluded.todo_ids`,
  },
};

/** A redelivered call leaves its row as it is; a row that counts refused calls adds them up. */
const countOnce = `on conflict (user_id, called_at, request_id) do update
  set calls = action_log.calls + excluded.calls where excluded.outcome = 'rate_limited'`;

/** Keys as one array per column: numbers are bound as they are, other types as text that is cast. */
function unnest(key: readonly Column[]): string {
  const arrays = key.map(({ type }, index) => `$${index + 1}::${type === "bigint" ? type : "text"}[]`);
  return `unnest(${arrays.join(", ")}) v(${key.map((column) => column.name).join(", ")})`;
}
