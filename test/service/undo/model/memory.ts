import { MikroORM } from "@mikro-orm/postgresql";
import type { Pool } from "pg";
import { entities } from "../../../../shared/db/entities.ts";
import { type SeenTable, seenTables } from "../../../../shared/domain/action/image-fields.ts";
import type { QueuedCommand, Reply } from "../../../../shared/queue/batch.ts";
import type { QueuedGroup } from "../../../../shared/queue/group.ts";
import { openGroup, operationCommand, replyToGroup } from "../../../../workers/commands/received.ts";
import { runTransaction } from "../../../../workers/commands/transaction/transaction.ts";
import { createQuotas } from "../../../../workers/unit-of-work/new-rows.ts";
import { describeTables, type TableMap, views } from "../../../../workers/unit-of-work/tables.ts";
import { noAccountBytes } from "../../../../workers/upkeep/account-bytes.ts";

/**
 * Carries commands out like a worker, with its own transactions, but on rows in memory. It does by hand what
 * PostgreSQL does to rows of one user, so it runs thousands of lives a minute.
 */

export type Row = Readonly<Record<string, unknown>>;

type TableName = keyof TableMap;
type Table = TableMap[TableName];

// Nothing connects to this address: only the descriptions of the tables are needed.
const orm = await MikroORM.init({ clientUrl: "postgresql://localhost:1/nowhere", entities: [...entities] });
const tables = describeTables(orm);

type Meaning = Readonly<{ table: Table; kind: keyof Table["sql"] }>;
const meanings = new Map<string, Meaning>();
for (const table of Object.values(tables))
  for (const [kind, text] of Object.entries(table.sql) as [Meaning["kind"], string][])
    if (!meanings.has(text)) meanings.set(text, { table, kind });

const stampedTables: readonly TableName[] = ["users", "categories", "habits", "todos", "reminders"];

const followsZone = ({ wall_time, status }: Row): boolean =>
  wall_time != null && (status === "scheduled" || status === "suspended");

export function createMemory(clock: { now: number }) {
  const stored = new Map(Object.keys(tables).map((name) => [name as TableName, new Map<string, Row>()]));
  /** Visible rows, by their names in images. */
  const seen = new Map<string, Row>();
  let transactions = 0;
  let lastId = 0;
  let traffic = 0;

  const rowsOf = (name: TableName) => stored.get(name) ?? new Map<string, Row>();
  const rowKeyOf = ({ key, columns }: Table, row: Row) =>
    columns.flatMap(({ name, type }) => (key.includes(name) ? asStored(type, row[name]) : [])).join("\u0000");
  const nameOf = ({ key, name }: Table, row: Row) =>
    [name, ...key.slice(1).map((column) => row[column])].join("/");
  const isSeen = (name: string) => seenTables.includes(name as SeenTable);

  function put(table: Table, row: Row): void {
    const full: Record<string, unknown> = {};
    for (const { name, type } of table.columns) full[name] = asStored(type, row[name]);
    if (stampedTables.includes(table.name)) full.changed_xid = String(transactions);
    rowsOf(table.name).set(rowKeyOf(table, full), full);
    if (isSeen(table.name)) seen.set(nameOf(table, full), full);
  }

  function drop(table: Table, row: Row): void {
    rowsOf(table.name).delete(rowKeyOf(table, row));
    if (isSeen(table.name)) seen.delete(nameOf(table, row));
  }

  const all = (name: TableName) => [...rowsOf(name).values()];
  const demand = (table: TableName, column: string, row: Row, parent: TableName) => {
    const id = row[column];
    if (id != null && !all(parent).some((other) => other.id === id))
      throw new Error(`foreign key: ${table}.${column} = ${id}`);
  };

  function write(table: Table, kind: Meaning["kind"], row: Row): void {
    const known = rowsOf(table.name).get(rowKeyOf(table, row));
    if (kind === "insert" && known) throw new Error(`unique key: ${rowKeyOf(table, row)} of ${table.name}`);
    if (table.name === "action_log" && kind === "update") {
      if (known) put(table, { ...known, undone_by: row.undone_by });
      return;
    }
    if (table.name === "habits" || table.name === "todos")
      demand(table.name, "category_id", row, "categories");
    if (table.name === "reminders") demand(table.name, "todo_id", row, "todos");
    put(table, row);
  }

  /** Acts like the foreign keys, the trigger and the steps after a deletion. */
  function remove(table: Table, row: Row): void {
    const known = rowsOf(table.name).get(rowKeyOf(table, row));
    if (!known) return;
    const hanging = (name: TableName, column: string) => all(name).filter((one) => one[column] === known.id);
    if (table.name === "todos")
      for (const one of hanging("reminders", "todo_id")) drop(tables.reminders, one);
    if (table.name === "categories")
      for (const name of ["habits", "todos"] as const)
        for (const member of hanging(name, "category_id"))
          put(tables[name], { ...member, category_id: null, former_category_id: known.id });
    drop(table, known);
  }

  function members(id: unknown): Row {
    const of = (name: TableName) => all(name).flatMap((row) => (row.category_id === id ? [row.id] : []));
    return { habit_ids: of("habits"), todo_ids: of("todos") };
  }

  /** Acts like the steps after the return of categories. */
  function comeBack(name: "habits" | "todos", ids: readonly unknown[]): void {
    for (const row of all(name))
      if (ids.map(String).includes(String(row.former_category_id))) {
        const category_id = row.category_id ?? row.former_category_id;
        put(tables[name], { ...row, category_id, former_category_id: null });
      }
  }

  function rowsOfKeys({ key }: Pick<Table, "key">, values: readonly unknown[]): Row[] {
    const arrays = values as unknown[][];
    if (arrays.length !== key.length) throw new Error(`${arrays.length} key columns for ${key.length}`);
    return (arrays[0] ?? []).map((_, index) =>
      Object.fromEntries(key.map((name, column) => [name, arrays[column]?.[index]])),
    );
  }

  function execute({ table, kind }: Meaning, values: readonly unknown[]): Row[] {
    if (kind === "insert" || kind === "upsert" || kind === "update") {
      const rows = JSON.parse(String(values[0])) as Row[];
      for (const row of rows) write(table, kind, row);
      return [];
    }
    if (kind === "allForUpdate" || kind === "readAll") return all(table.name);
    const keys: Row[] = rowsOfKeys(table, values);
    if (kind === "remove") {
      for (const key of keys) remove(table, key);
      return [];
    }
    return keys.flatMap((key): Row[] => {
      const row = rowsOf(table.name).get(rowKeyOf(table, key));
      return row ? [row] : [];
    });
  }

  function answer(text: string, values: readonly unknown[]): Row[] {
    const meaning = meanings.get(text);
    if (meaning) return execute(meaning, values);
    if (text === views.category_members.read)
      return rowsOfKeys(views.category_members, values).map((key) => ({ ...key, ...members(key.id) }));
    for (const name of ["habits", "todos"] as const)
      if (text.includes(`update ${name} set`) && text.includes("coalesce(category_id"))
        comeBack(name, values[1] as unknown[]);
    if (text === "begin") transactions++;
    if (text.includes("day_start_hour")) {
      const now = new Date(clock.now + 1)
        .toISOString()
        .replace("Z", `${String(transactions % 1000).padStart(3, "0")}Z`);
      const [{ time_zone = null, day_start_hour = null } = {}] = all("users");
      const own = { user_id: userId, time_zone, day_start_hour };
      const others = { deleted: false, ruled_tokens: [], replies_since: 0 };
      return [{ now: asStored("timestamptz", now), at: clock.now + 2, ...own, ...others }];
    }
    if (text.includes("pg_try_advisory_xact_lock(hashtextextended")) return [{ free: true }];
    if (text.includes("select time_zone from users")) return all("users");
    if (text.includes("r.wall_time from reminders r"))
      return all("reminders").flatMap((row) => (followsZone(row) ? { ...row, id: row.todo_id } : []));
    if (text.includes("update reminders r set remind_at")) moveReminders(JSON.parse(String(values[2])));
    if (text.includes("pg_try_advisory")) return (values[0] as string[]).map((id) => ({ id, free: true }));
    if (text.includes("nextval")) return Array.from({ length: Number(values[0]) }, () => ({ id: ++lastId }));
    return [];
  }

  /** @param times by id */
  function moveReminders(times: Readonly<Record<string, string>>): void {
    for (const row of all("reminders")) {
      const remind_at = times[String(row.todo_id)];
      if (remind_at !== undefined && row.remind_at !== asStored("timestamptz", remind_at))
        put(tables.reminders, { ...row, remind_at, delivery_id: null });
    }
  }

  const client = {
    async query(text: string, values: readonly unknown[] = []) {
      const rows = answer(text, values);
      traffic += JSON.stringify([values, rows]).length;
      return { rows, rowCount: rows.length };
    },
    release() {},
  };
  const context = {
    tables,
    pool: { connect: async () => client } as unknown as Pool,
    openNewRows: createQuotas(),
    accountBytes: noAccountBytes,
    config: { defaultTimeZone: "Europe/Berlin", baseUrl: "https://kept.example" },
    security() {},
    metrics: { ended() {}, committed() {} },
    carryOn() {},
  };

  return {
    /** Completions of a deleted habit stay for an undo, but nobody sees them. */
    rows: (): ReadonlyMap<string, Row> =>
      new Map([...seen].filter(([, { habit_id }]) => habit_id == null || seen.has(`habits/${habit_id}`))),
    log: () => all("action_log"),
    user: () => all("users")[0],
    /** The characters that the transactions have sent and received so far. */
    traffic: () => traffic,
    /** Acts like the delivery of due reminders. */
    ring(): void {
      const now = new Date(clock.now).toISOString();
      for (const row of all("reminders"))
        if (row.status === "scheduled" && String(row.remind_at) <= String(asStored("timestamptz", now)))
          put(tables.reminders, { ...row, status: "sent", delivery_id: crypto.randomUUID() });
    },
    async run(command: QueuedCommand): Promise<Reply> {
      const { replies } = await runTransaction(context, [{ command, repeat: false }], "wait");
      const [answered] = replies;
      if (!answered) throw new Error("no reply");
      return answered[1];
    },
    async runGroup(command: QueuedCommand, group: QueuedGroup): Promise<Reply> {
      const batch = { id: "", replyTo: "", v: 2 as const, commands: [command], receivedAt: 0 };
      const work = group.operations.map((operation) =>
        operationCommand({ command, batch: batch as never, repeat: false, maybeApplied: false }, operation),
      );
      const { replies } = await runTransaction(context, work, openGroup(group));
      return replyToGroup(command, replies);
    },
  };
}

export const userId = "ada";

/** A value as PostgreSQL gives it back from a column of that type. */
function asStored(type: string, value: unknown): unknown {
  if (value == null) return null;
  if (type === "timestamptz") return instant(String(value));
  if (type === "timestamp") return String(value).replace("T", " ");
  if (type === "timestamptz[]") return (value as unknown[]).map((one) => instant(String(one)));
  if (type === "jsonb") return inKeyOrder(value);
  return value;
}

const shape = /^(?<date>[\d-]+)[T ](?<time>[\d:]+)(\.(?<fraction>\d+))?(Z|\+00(:00)?)$/;

function instant(text: string): string {
  const { date, time, fraction = "" } = shape.exec(text)?.groups ?? {};
  if (!date || !time) throw new Error(`${text} is no instant in UTC.`);
  const rest = fraction.replace(/0+$/, "");
  return `${date} ${time}${rest && `.${rest}`}+00`;
}

/** jsonb keeps the shorter keys first. */
function inKeyOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inKeyOrder);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => a.length - b.length || (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, one]) => [key, inKeyOrder(one)]));
}
