import type { MikroORM } from "@mikro-orm/postgresql";
import type {
  ActionRow,
  CategoryRow,
  HabitCompletionRow,
  HabitRow,
  InboxRow,
  ReminderRow,
  TodoRow,
  UserRow,
} from "../../shared/db/entities.ts";

/** The rows that an envelope can load and change, in the order in which they are written. */
export type Rows = {
  users: UserRow;
  categories: CategoryRow;
  habits: HabitRow;
  habit_completions: HabitCompletionRow;
  todos: TodoRow;
  reminders: ReminderRow;
  action_log: ActionRow;
  inbox: InboxRow;
};
export type TableName = keyof Rows;

type Column = Readonly<{ name: string; type: string }>;

/** A table's set-based statements: one text each for any number of rows, so that each is planned once. */
export type Table = Readonly<{
  name: TableName;
  columns: readonly Column[];
  key: readonly Column[];
  sql: Readonly<{
    lock: string;
    /** Skips rows that another transaction holds. */
    lockFree: string;
    /** All rows of the given users. */
    lockAll: string;
    read: string;
    insert: string;
    update: string;
    remove: string;
  }>;
}>;

export type Tables = Readonly<Record<TableName, Table>>;

/** What references others comes after them. */
const writeOrder = [
  "users",
  "categories",
  "habits",
  "habit_completions",
  "todos",
  "reminders",
  "action_log",
  "inbox",
] as const satisfies readonly TableName[];

/** Derives every statement from MikroORM's metadata. */
export function describeTables(orm: MikroORM): Tables {
  const metadata = [...orm.getMetadata().getAll().values()];
  const described = writeOrder.map((name) => {
    const entity = metadata.find(({ tableName }) => tableName === name);
    if (!entity) throw new Error(`No entity describes the table ${name}.`);
    const columns = entity.props.map((prop) => ({
      name: prop.fieldNames[0] ?? prop.name,
      type: prop.columnTypes[0] ?? "text",
    }));
    const key = columns.filter((column) => entity.primaryKeys.some((primary) => primary === column.name));
    return [name, { name, columns, key, sql: statements(name, columns, key) }] as const;
  });
  return Object.fromEntries(described) as unknown as Tables;
}

function statements(name: TableName, columns: readonly Column[], key: readonly Column[]): Table["sql"] {
  const names = columns.map((column) => column.name).join(", ");
  const keyNames = key.map((column) => column.name).join(", ");
  const typed = columns.map((column) => `v.${column.name}::${column.type}`).join(", ");
  const changed = columns.filter((column) => !key.includes(column));
  const assignments = changed.map((column) => `${column.name} = v.${column.name}::${column.type}`).join(", ");
  const match = key.map((column) => `t.${column.name} = v.${column.name}::${column.type}`).join(" and ");
  const keyOrder = key.map((column) => `t.${column.name}`).join(", ");
  const byKey = `select t.* from ${name} t join ${unnest(key)} on ${match} order by ${keyOrder}`;
  return {
    lock: `${byKey} for update of t`,
    lockFree: `${byKey} for update of t skip locked`,
    lockAll: `select t.* from ${name} t where t.user_id = any($1::text[]) order by ${keyOrder} for update`,
    read: `select t.* from ${name} t join ${unnest(key)} on ${match}`,
    insert: `insert into ${name} (${names}) select ${typed} from ${unnest(columns)}${name === "action_log" ? ` on conflict (${keyNames}) do nothing` : ""}`,
    update: `update ${name} t set ${assignments} from ${unnest(columns)} where ${match}`,
    remove: `delete from ${name} t using ${unnest(key)} where ${match}`,
  };
}

/** Arrays of plain types bind as they are; all others travel as text and are cast, never to varchar(n), which cuts. */
const bound = new Set(["bigint", "int", "boolean", "double precision"]);

function unnest(columns: readonly Column[]): string {
  const arrays = columns.map(({ type }, index) => `$${index + 1}::${bound.has(type) ? type : "text"}[]`);
  return `unnest(${arrays.join(", ")}) v(${columns.map((column) => column.name).join(", ")})`;
}

/** One array per column, as the statements take them. */
export function columnArrays(columns: readonly Column[], rows: readonly object[]): unknown[][] {
  return columns.map(({ name, type }) => {
    const encode = encoders[type];
    return rows.map((row) => {
      const value = (row as Record<string, unknown>)[name] ?? null;
      return value === null || encode === undefined ? value : encode(value);
    });
  });
}

const encoders: Record<string, (value: unknown) => string> = {
  jsonb: (value) => JSON.stringify(value),
  "date[]": (value) => `{${(value as string[]).join(",")}}`,
};
