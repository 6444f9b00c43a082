import type { MikroORM } from "@mikro-orm/postgresql";
import { deletionKinds } from "../../shared/db/entities/deletion.ts";
import type { TableRows, WorkRow } from "../../shared/db/entities.ts";
import { type NewHistory, writeHistory } from "./habit-histories.ts";
import { type JournalEntry, writeJournal } from "./journal.ts";
import { statementsOf } from "./statements.ts";
import type { Column, Effect, SizedColumns, Table, TableSpec, View } from "./table.ts";
import { type CategoryMembers, categoryMembers } from "./views/category-members.ts";
import { type RuledToken, ruledToken } from "./views/ruled-token.ts";

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
    const keyNames: readonly string[] = spec.key ?? entity.primaryKeys;
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
