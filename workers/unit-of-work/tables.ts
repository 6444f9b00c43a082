import type { MikroORM } from "@mikro-orm/postgresql";
import { maxUndone } from "../../shared/contracts/action/contracts.ts";
import { maxAtOnce } from "../../shared/contracts/group/contracts.ts";
import { deletionKinds } from "../../shared/db/entities/things.ts";
import type { ByteKind, HabitAmountRow, TableRows, WorkRow } from "../../shared/db/entities.ts";
import type { EventName } from "../../shared/domain/journal/events.ts";

type Column = Readonly<{ name: string; type: string }>;

/** The columns whose length counts in what an account keeps. */
export type SizedColumns = Readonly<{ texts: readonly string[]; lists: readonly string[] }>;

/** Settings of a table in the unit of work, beyond its entity. */
type TableSpec = Readonly<{
  /** The name for handlers, if they may see it. */
  as?: string;
  /** The kind of the tombstones (`deletions`) that its deleted rows leave. */
  tombstone?: number;
  /** The conflict clause of an upsert; without one, it replaces the row. */
  onConflict?: string;
  /** The columns that an update changes, if not all. */
  updates?: readonly string[];
  /** Statements in place of the usual ones. */
  own?: Partial<Statements>;
  /** The kind of its bytes in what an account keeps: `things` unless it says another. */
  bytes?: ByteKind | "none";
}>;

/** Each statement has one text for any number of rows, so that it is planned once. */
type Statements = Readonly<{
  forUpdate: string;
  /** Never waits: for a row that another transaction has locked, it returns only the key. */
  forUpdateSkipLocked: string;
  /** The lock of a foreign key: the row cannot be deleted, and inserting a reference to it never waits. */
  forKeyShare: string;
  forKeyShareSkipLocked: string;
  allForUpdate: string;
  read: string;
  readAll: string;
  /** Takes the rows as one JSON array, like `upsert` and `update`. */
  insert: string;
  upsert: string;
  update: string;
  remove: string;
}>;

type Table<Name extends string = string> = Readonly<{
  name: Name;
  columns: readonly Column[];
  key: readonly string[];
  bytes: NonNullable<TableSpec["bytes"]>;
  sized: SizedColumns;
  /** True if its rows name their authors. */
  isSigned: boolean;
  sql: Statements;
}>;

/** Computed rows that commands read. The statement takes one array for each column of the key. */
type View = Readonly<{ as: string; key: readonly string[]; read: string }>;

/** A change of many rows that a handler requests without loading them, at most once for each user and key. */
type Effect<Row> = Readonly<{
  key: readonly ["user_id", keyof Row & string];
  /** Takes the requests as one JSON array; undefined for an effect without a statement. */
  statement?: string;
  /** Takes the rows that the statement returns for these requests. */
  written?(rows: readonly Row[], answers: readonly Readonly<Record<string, unknown>>[]): void;
  /** The number of rows that the statement writes for one request, if it can be thousands. */
  size?(row: Row): number;
}>;

export type RuledToken = Readonly<{
  user_id: string;
  token_id: string;
  /** The name of the category to which the token is limited; null for none, or one that is deleted. */
  category: string | null;
  /** The number of the user's requests that wait for approval. A token leaves 25 places to others. */
  waiting: number;
}>;

const ruledToken = {
  as: "ruledTokens",
  key: ["user_id", "token_id"],
  read: `
    select v.user_id, v.token_id,
      (select c.name from token_rules r join categories c on c.user_id = r.user_id and c.id = r.category_id
       where r.user_id = v.user_id and r.token_id = v.token_id) as category,
      (select greatest(count(*), 25 + count(*) filter (where a.token_id = v.token_id)) from approvals a
       where a.user_id = v.user_id and a.state = 'waiting' and a.expires_at > now())::int as waiting
    from unnest($1::text[], $2::text[]) v(user_id, token_id)`,
} as const satisfies View;

/**
 * Looks up rows by lateral subqueries and writes them by upserts, so that the planner must use the key's index. A
 * join would scan a young table whose statistics call it empty: measured 20 ms a look-up instead of 0.1.
 */
function statementsOf(
  { name, columns, key: keyNames }: Pick<Table, "name" | "columns" | "key">,
  { tombstone, onConflict, updates, own }: TableSpec,
): Statements {
  const isKey = (column: Column) => keyNames.includes(column.name);
  const [key, others] = [columns.filter(isKey), columns.filter((column) => !isKey(column))];
  const match = key.map((column) => `t.${column.name} = v.${column.name}::${column.type}`).join(" and ");
  const rows = (how: string) =>
    `select t.* from ${keyRows(key)} cross join lateral (select * from ${name} t where ${match} ${how}) t`;
  const skipLocked = (how: string) =>
    `select ${[...key.map((column) => `v.${column.name}`), ...others.map((column) => `t.${column.name}`)].join(", ")}
     from ${keyRows(key)} cross join lateral (select from ${name} t where ${match} offset 0) found
     left join lateral (select * from ${name} t where ${match} ${how} skip locked) t on true`;
  // JSON is encoded natively, while arrays need an escape of every element: measured a third of the processor time.
  const given = `json_to_recordset($1) v(${columns.map((column) => `${column.name} ${column.type}`).join(", ")})`;
  const insert = `insert into ${name} (${namesOf(columns)}) select ${namesOf(columns)} from ${given}`;
  const written = [
    ...others.map((column) =>
      column.type === "text" ? unlessSame(name, column.name) : assignment(column.name),
    ),
    ...(tombstone ? [assignment(changedXid)] : []),
  ];
  const upsert = `${insert} on conflict (${namesOf(key)}) do update set ${written.join(", ")}`;
  const removed = `delete from ${name} t using ${keyRows(key)} where ${match}`;
  return {
    forUpdate: rows("for update"),
    forUpdateSkipLocked: skipLocked("for update"),
    forKeyShare: rows("for key share"),
    forKeyShareSkipLocked: skipLocked("for key share"),
    allForUpdate: `select t.* from ${name} t where t.user_id = any($1::text[]) order by ${namesOf(key)} for update`,
    read: rows("offset 0"),
    readAll: `select t.* from ${keyRows(key.slice(0, 1))} cross join lateral (select * from ${name} t where t.user_id = v.user_id offset 0) t`,
    insert,
    upsert: onConflict ? `${insert} ${onConflict}` : upsert,
    update: updates
      ? `update ${name} t set ${updates.map((column) => assignment(column, "v")).join(", ")} from ${given} where ${match}`
      : upsert,
    remove: tombstone ? removal(removed, tombstone) : removed,
    ...own,
  };
}

const namesOf = (columns: readonly Column[]): string => columns.map(({ name }) => name).join(", ");

const assignment = (column: string, from = "excluded"): string => `${column} = ${from}.${column}`;

/** PostgreSQL stores a long text again even if it is the same, unless the assigned one is that of the row. */
const unlessSame = (table: string, column: string): string =>
  `${column} = case when ${table}.${column} = excluded.${column} then ${table}.${column} else excluded.${column} end`;

/** Keys as rows, from one array per column. Numbers are bound directly, other types as text with a cast. */
function keyRows(key: readonly Column[]): string {
  const arrays = key.map(({ type }, index) => `$${index + 1}::${type === "bigint" ? type : "text"}[]`);
  return `unnest(${arrays.join(", ")}) v(${namesOf(key)})`;
}

/**
 * The number of the transaction that last wrote a row, from which clients with a copy learn of changes. Its default
 * is the present transaction, in new rows and in `excluded`. Triggers set it in tables without tombstones.
 */
const changedXid = "changed_xid";

/** Deletes rows and writes their tombstones. The statement names rows by key: a ctid is unique in one partition only. */
const removal = (statement: string, kind: number): string => `
  with gone as (${statement} returning t.user_id, t.id)
  insert into deletions (user_id, changed_xid, kind, id, deleted_at)
  select g.user_id, pg_current_xact_id(), ${kind}, g.id, now() from gone g`;

type NewHistory = Readonly<{
  user_id: string;
  habit_id: number;
  dates: readonly string[];
  /** The time of each completion; null becomes noon (UTC) of its day. */
  times: readonly (string | null)[];
  notes: readonly (string | null)[];
  sums: readonly Pick<HabitAmountRow, "local_date" | "amount" | "target">[];
}>;

/**
 * Writes the completions and amounts that come with a new habit. As rows of the unit of work, thousands of them would keep a worker
 * busy for longer than everything else of an import.
 */
const writeHistory: Effect<NewHistory> = {
  key: ["user_id", "habit_id"],
  size: ({ dates, sums }) => dates.length + sums.length,
  statement: `
    with given as (
      select * from json_to_recordset($1) v(user_id text, habit_id bigint, dates date[], times timestamptz[], notes text[], sums json)
    ), counted as (
      insert into habit_amounts (user_id, habit_id, local_date, amount, target)
      select v.user_id, v.habit_id, s.local_date, s.amount, s.target from given v
      cross join lateral json_to_recordset(v.sums) s(local_date date, amount double precision, target double precision)
    )
    insert into habit_completions (user_id, habit_id, local_date, completed_at, note)
    select v.user_id, v.habit_id, c.local_date,
      coalesce(c.completed_at, (c.local_date + time '12:00') at time zone 'UTC'), c.note
    from given v
    cross join lateral unnest(v.dates, v.times, v.notes) c(local_date, completed_at, note)`,
};

/** A row that the account journal gets in this transaction, if its kind has room for more. */
type JournalEntry = Readonly<{
  user_id: string;
  /** The command, and the place among its events. */
  id: string;
  kind: EventName;
  details: object;
  most: number;
  period: string;
  subject: string;
  times: number;
  /** Its person gets a message. */
  told: boolean;
}> & {
  /** True for a thing that is news once a year, and was told this year. */
  isOld?: boolean;
};

/** Users are in order, so that two transactions never wait for each other in a circle. */
const writeJournal: Effect<JournalEntry> = {
  key: ["user_id", "id"],
  statement: `
    select e.id, journal_append(e.user_id, e.kind, e.details, e.most, e.period, e.subject, e.times, e.told) as is_new
    from (
      select * from json_to_recordset($1) e(user_id text, id text, kind text, details jsonb, most bigint, period text,
        subject text, times bigint, told boolean)
      order by user_id, id offset 0
    ) e`,
  written(entries, answers) {
    const isNew = new Map(answers.map(({ id, is_new }) => [id, is_new]));
    for (const entry of entries) entry.isOld = entry.period === "year" && !isNew.get(entry.id);
  },
};

type CategoryMembers = Readonly<{
  user_id: string;
  id: number;
  habit_ids: readonly number[];
  todo_ids: readonly number[];
}>;

/** One more than a single undo can remove from the category, to see whether others are in it. */
const mostSeen = maxUndone * maxAtOnce + 1;

const members = (table: string): string => `
  array(select t.id from ${table} t where t.user_id = v.user_id and t.category_id = v.id::bigint limit ${mostSeen})`;

const categoryMembers = {
  as: "categoryMembers",
  key: ["user_id", "id"],
  read: `
    select v.user_id, v.id::bigint, ${members("habits")} as habit_ids, ${members("todos")} as todo_ids
    from unnest($1::text[], $2::bigint[]) v(user_id, id)`,
} as const satisfies View;

/** Reads the images of actions. An import in steps has further ones, in the microseconds after its time. */
const readActionImages = `
  select t.* from unnest($1::text[], $2::text[], $3::text[]) v(user_id, called_at, request_id)
  cross join lateral (
    select * from action_images t
    where t.user_id = v.user_id and t.request_id = v.request_id::uuid and t.called_at >= v.called_at::timestamptz
      and t.called_at < v.called_at::timestamptz + interval '1 millisecond'
    offset 0
  ) t`;

const isHere = Object.entries(deletionKinds)
  .map(
    ([table, kind]) => `(t.kind = ${kind} and exists (
        select from ${table} x where x.user_id = t.user_id and x.id = t.id))`,
  )
  .join(" or ");

/** Reads the keys of imported things that still exist. */
const readImportKeys = `
  select t.* from unnest($1::text[], $2::text[]) v(user_id, key) cross join lateral (
    select * from import_keys t where t.user_id = v.user_id and t.key = v.key and (${isHere}) offset 0
  ) t`;

/**
 * Every table of the unit of work, once, in the order of writing: a table comes after those to which it refers.
 * Loading, locking, saving, the count of bytes and the tables of handlers (`as`) follow from this list.
 */
export const tables = {
  users: { as: "users" },
  categories: { as: "categories", tombstone: deletionKinds.categories },
  habits: { as: "habits", tombstone: deletionKinds.habits },
  habit_completions: { as: "completions" },
  habit_amounts: { as: "amounts" },
  todos: { as: "todos", tombstone: deletionKinds.todos },
  reminders: { as: "reminders" },
  // The message about waiting requests has the same id for all that ask within minutes.
  reminder_deliveries: { as: "deliveries", onConflict: "on conflict (user_id, id) do nothing" },
  push_subscriptions: { as: "browsers" },
  action_log: {
    as: "actions",
    bytes: "log",
    // A redelivered call leaves its row as it is; a row that counts refused calls is added up.
    onConflict: `on conflict (user_id, called_at, request_id) do update
      set calls = action_log.calls + excluded.calls where excluded.outcome = 'rate_limited'`,
    // Only `undone_by` of a row ever changes.
    updates: ["undone_by"],
  },
  action_images: { as: "images", bytes: "images", own: { read: readActionImages } },
  // The statements that remove other rows write these.
  deletions: {},
  import_parts: { as: "importParts" },
  import_keys: { as: "importKeys", own: { read: readImportKeys } },
  calendar_feeds: { as: "calendarFeeds" },
  token_rules: { as: "tokenRules" },
  approvals: { as: "approvals" },
  webhooks: { as: "webhooks" },
  webhook_deliveries: { as: "webhookDeliveries" },
  inbox: { bytes: "none" },
} as const satisfies Record<Exclude<keyof TableRows, "works" | "journal" | "account_bytes">, TableSpec>;

export type TableName = keyof typeof tables;
export const tableNames = Object.keys(tables) as TableName[];

type ViewRows = { category_members: CategoryMembers; ruled_tokens: RuledToken };

export const views = {
  category_members: categoryMembers,
  ruled_tokens: ruledToken,
} as const satisfies Record<keyof ViewRows, View>;

export type ViewName = keyof typeof views;
export const isView = (name: string): name is ViewName => name in views;

type EffectRows = {
  writeHistory: NewHistory;
  journal: JournalEntry;
  works: WorkRow;
};

/** Effects by their names in handlers, in the order in which they run after the rows are written. */
export const effects: { readonly [Name in keyof EffectRows]: Effect<EffectRows[Name]> } = {
  writeHistory,
  journal: writeJournal,
  // A command's long work: its row is written after its first step, unless that was the last one.
  works: { key: ["user_id", "id"] },
};

export type EffectName = keyof typeof effects;
export const effectNames = Object.keys(effects) as EffectName[];

/** The rows that a transaction knows, by table, view or effect. */
export type Rows = Pick<TableRows, TableName> & ViewRows & EffectRows;

export type TableMap = { readonly [Name in TableName]: Table<Name> };

/** Derives columns and statements from MikroORM's metadata. */
export function describeTables(orm: MikroORM): TableMap {
  const entities = [...orm.getMetadata().getAll().values()];
  const described = Object.entries(tables).map(([name, spec]: [string, TableSpec]): [string, Table] => {
    const entity = entities.find(({ tableName }) => tableName === name);
    if (!entity) throw new Error(`No entity describes the table ${name}.`);
    const columns = entity.props.map((prop) => ({
      name: prop.fieldNames[0] ?? prop.name,
      type: prop.columnTypes[0] ?? "text",
    }));
    const keyNames: readonly string[] = entity.primaryKeys;
    const key = columns.flatMap((column) => (keyNames.includes(column.name) ? column.name : []));
    const table = { name, columns, key, bytes: spec.bytes ?? "things", sized: sizedColumns(columns) };
    const isSigned = columns.some((column) => column.name === "written_by");
    return [name, { ...table, isSigned, sql: statementsOf(table, spec) }];
  });
  return Object.fromEntries(described) as TableMap;
}

const sizedColumns = (columns: readonly Column[]): SizedColumns => ({
  texts: columns.filter(({ type }) => type === "text").map(({ name }) => name),
  lists: columns.filter(({ type }) => type.startsWith("json") || type.endsWith("[]")).map(({ name }) => name),
});
