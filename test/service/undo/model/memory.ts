import { MikroORM } from "@mikro-orm/postgresql";
import type { Pool } from "pg";
import { deletionKinds } from "../../../../shared/db/entities/deletion.ts";
import { entities } from "../../../../shared/db/entities.ts";
import { type SeenTable, seenTables } from "../../../../shared/domain/action/image-fields.ts";
import type { QueuedCommand, Reply } from "../../../../shared/queue/batch.ts";
import type { QueuedGroup } from "../../../../shared/queue/group.ts";
import { openGroup, operationCommand, replyToGroup } from "../../../../workers/commands/group/group.ts";
import { runGroupTransaction } from "../../../../workers/commands/group/group-transaction.ts";
import { runTransaction } from "../../../../workers/commands/transaction/transaction.ts";
import { createQuotas } from "../../../../workers/unit-of-work/new-rows.ts";
import type { Table } from "../../../../workers/unit-of-work/table.ts";
import { describeTables, effects, type TableName, views } from "../../../../workers/unit-of-work/tables.ts";
import { asStored } from "./stored-values.ts";

/**
 * Carries commands out as a worker does, with its own transactions, but on rows in memory: what PostgreSQL would do to
 * rows of one user is done here by hand. So thousands of lives a minute can be lived.
 */

export type Row = Readonly<Record<string, unknown>>;

type Kind = keyof Table["sql"];

// Nothing connects to this address: only the descriptions of the tables are needed.
const orm = await MikroORM.init({ clientUrl: "postgresql://localhost:1/nowhere", entities: [...entities] });
const tables = describeTables(orm);

const meanings = new Map<string, Readonly<{ table: Table<TableName>; kind: Kind }>>();
for (const table of Object.values(tables))
  for (const [kind, text] of Object.entries(table.sql) as [Kind, string][])
    if (!meanings.has(text)) meanings.set(text, { table, kind });

const stampedTables: readonly TableName[] = ["users", "categories", "habits", "todos", "reminders"];

const followsZone = ({ wall_time, status }: Row): boolean =>
  wall_time != null && (status === "scheduled" || status === "suspended");

export function createMemory(clock: { now: number }) {
  const stored = new Map(Object.keys(tables).map((name) => [name as TableName, new Map<string, Row>()]));
  /** Rows that people can see, by the name that images give them. */
  const seen = new Map<string, Row>();
  let transactions = 0;
  let lastId = 0;
  let traffic = 0;

  const rowsOf = (name: TableName) => stored.get(name) ?? new Map<string, Row>();
  const placeOf = ({ key, columns }: Table<TableName>, row: Row) =>
    columns.flatMap(({ name, type }) => (key.includes(name) ? asStored(type, row[name]) : [])).join("\u0000");
  const nameOf = ({ key, name }: Table<TableName>, row: Row) =>
    [name, ...key.slice(1).map((column) => row[column])].join("/");
  const isSeen = (name: string) => seenTables.includes(name as SeenTable);

  function put(table: Table<TableName>, row: Row): void {
    const full: Record<string, unknown> = {};
    for (const { name, type } of table.columns) full[name] = asStored(type, row[name]);
    if (stampedTables.includes(table.name)) full.changed_xid = String(transactions);
    rowsOf(table.name).set(placeOf(table, full), full);
    if (isSeen(table.name)) seen.set(nameOf(table, full), full);
  }

  function drop(table: Table<TableName>, row: Row): void {
    rowsOf(table.name).delete(placeOf(table, row));
    if (isSeen(table.name)) seen.delete(nameOf(table, row));
  }

  const all = (name: TableName) => [...rowsOf(name).values()];
  const demand = (table: TableName, column: string, row: Row, parent: TableName) => {
    const id = row[column];
    if (id != null && !all(parent).some((other) => other.id === id))
      throw new Error(`foreign key: ${table}.${column} = ${id}`);
  };

  function write(table: Table<TableName>, kind: Kind, row: Row): void {
    const known = rowsOf(table.name).get(placeOf(table, row));
    if (kind === "insert" && known) throw new Error(`unique key: ${placeOf(table, row)} of ${table.name}`);
    if (table.name === "action_log" && kind === "update") {
      if (known) put(table, { ...known, undone_by: row.undone_by });
      return;
    }
    if (table.name === "habits" || table.name === "todos")
      demand(table.name, "category_id", row, "categories");
    if (table.name === "habit_completions") demand(table.name, "habit_id", row, "habits");
    if (table.name === "reminders") demand(table.name, "todo_id", row, "todos");
    put(table, row);
  }

  /** As the foreign keys, the trigger and the statement of the deletion do. */
  function remove(table: Table<TableName>, row: Row): void {
    const known = rowsOf(table.name).get(placeOf(table, row));
    if (!known) return;
    const { id, user_id } = known;
    const hanging = (name: TableName, column: string) => all(name).filter((other) => other[column] === id);
    const hangingOn: Record<string, unknown> = {};
    if (table.name === "habits") {
      const completions = hanging("habit_completions", "habit_id").sort((a, b) =>
        String(a.local_date) < String(b.local_date) ? -1 : 1,
      );
      if (completions.length > 0) {
        hangingOn.completed_dates = completions.map(({ local_date }) => local_date);
        hangingOn.completed_times = completions.map(({ completed_at }) => completed_at);
      }
      for (const one of completions) drop(tables.habit_completions, one);
    }
    if (table.name === "todos")
      for (const one of hanging("reminders", "todo_id")) drop(tables.reminders, one);
    if (table.name === "categories")
      for (const [name, column] of [
        ["habits", "habit_ids"],
        ["todos", "todo_ids"],
      ] as const) {
        const members = hanging(name, "category_id");
        if (members.length > 0) hangingOn[column] = members.map((member) => member.id);
        for (const member of members) put(tables[name], { ...member, category_id: null });
      }
    drop(table, known);
    const before = rowsOf("deletions").get(
      placeOf(tables.deletions, { user_id, id, kind: deletionKinds.categories }),
    );
    if (table.name === "categories" && before?.changed_xid === String(transactions))
      for (const column of ["habit_ids", "todo_ids"])
        hangingOn[column] = [
          ...((before[column] as unknown[]) ?? []),
          ...((hangingOn[column] as unknown[]) ?? []),
        ];
    const kinds: Readonly<Record<string, number>> = deletionKinds;
    if (kinds[table.name] !== undefined)
      put(tables.deletions, {
        user_id,
        id,
        kind: kinds[table.name],
        changed_xid: String(transactions),
        deleted_at: new Date(clock.now).toISOString(),
        ...hangingOn,
      });
  }

  function members(id: unknown): Row {
    const of = (name: TableName) => all(name).flatMap((row) => (row.category_id === id ? [row.id] : []));
    return { habit_ids: of("habits"), todo_ids: of("todos") };
  }

  const note = (row: Row) =>
    put(tables.deletions, {
      ...row,
      changed_xid: String(transactions),
      deleted_at: new Date(clock.now).toISOString(),
    });

  function comeBack({ id, habit_ids, todo_ids }: Row): void {
    for (const [name, ids] of [
      ["habits", habit_ids],
      ["todos", todo_ids],
    ] as const)
      for (const row of all(name))
        if (row.category_id == null && (ids as unknown[]).includes(row.id))
          put(tables[name], { ...row, category_id: id });
  }

  const noteOfHabit = (habit_id: unknown) =>
    all("deletions").find(({ kind, id }) => kind === deletionKinds.habits && String(id) === String(habit_id));

  function completionsIn(note: Row | undefined): Row[] {
    const times = (note?.completed_times ?? []) as unknown[];
    return ((note?.completed_dates ?? []) as string[]).map((local_date, index) => ({
      local_date,
      completed_at: times[index],
    }));
  }

  const othersOf = (note: Row | undefined, { known }: Row) =>
    completionsIn(note).filter(({ local_date }) => !(known as unknown[]).includes(local_date));

  /** As the statement of habits that come back with their completions. */
  function returnCompletions(row: Row): void {
    const { user_id, habit_id } = row;
    for (const one of othersOf(noteOfHabit(habit_id), row))
      write(tables.habit_completions, "insert", { user_id, habit_id, ...one });
  }

  /** As the statement of habits that came back and went again before their completions were there. */
  function keepCompletions(row: Row): void {
    const note = noteOfHabit(row.habit_id);
    if (!note) return;
    const { dates: completed_dates, times: completed_times } = row;
    const own = [...othersOf(note, row), ...completionsIn({ completed_dates, completed_times })];
    put(tables.deletions, {
      ...note,
      completed_dates: own.map(({ local_date }) => local_date),
      completed_times: own.map(({ completed_at }) => completed_at),
    });
  }

  const others = new Map<string | undefined, (values: readonly unknown[]) => Row[]>([
    ...[
      [effects.bringMembersBack, comeBack] as const,
      [effects.returnCompletions, returnCompletions] as const,
      [effects.keepCompletions, keepCompletions] as const,
    ].map(([{ statement }, carryOut]) => {
      const meaning = ([rows]: readonly unknown[]) => {
        (JSON.parse(String(rows)) as Row[]).forEach(carryOut);
        return [];
      };
      return [statement, meaning] as const;
    }),
    [
      views.category_members.read,
      (values) => rowsOfKeys(views.category_members, values).map((key) => ({ ...key, ...members(key.id) })),
    ],
    [
      views.deleted_completions.read,
      (values) =>
        rowsOfKeys(views.deleted_completions, values).flatMap((key) =>
          completionsIn(noteOfHabit(key.habit_id)).flatMap((one) =>
            one.local_date === key.local_date ? [{ ...key, ...one }] : [],
          ),
        ),
    ],
  ]);

  function rowsOfKeys({ key }: Pick<Table, "key">, values: readonly unknown[]): Row[] {
    const arrays = values as unknown[][];
    if (arrays.length !== key.length) throw new Error(`${arrays.length} key columns for ${key.length}`);
    return (arrays[0] ?? []).map((_, index) =>
      Object.fromEntries(key.map((name, column) => [name, arrays[column]?.[index]])),
    );
  }

  function execute(
    { table, kind }: { table: Table<TableName>; kind: Kind },
    values: readonly unknown[],
  ): Row[] {
    if (kind === "insert" || kind === "upsert" || kind === "update") {
      const rows = JSON.parse(String(values[0])) as Row[];
      if (table.name === "deletions") for (const row of rows) note(row);
      else for (const row of rows) write(table, kind, row);
      return [];
    }
    if (kind === "allForUpdate" || kind === "readAll") return all(table.name);
    const keys: Row[] = rowsOfKeys(table, values);
    if (kind === "remove") {
      for (const key of keys) remove(table, key);
      return [];
    }
    const found = keys.flatMap((key): Row[] => {
      const row = rowsOf(table.name).get(placeOf(table, key));
      return row ? [row] : [];
    });
    return table.name === "deletions" ? found.map(withoutCompletions) : found;
  }

  function answer(text: string, values: readonly unknown[]): Row[] {
    const meaning = meanings.get(text);
    if (meaning) return execute(meaning, values);
    const other = others.get(text);
    if (other) return other(values);
    if (text === "begin") transactions++;
    if (text.includes("day_start_hour")) {
      const now = new Date(clock.now + 1)
        .toISOString()
        .replace("Z", `${String(transactions % 1000).padStart(3, "0")}Z`);
      const [user] = all("users");
      const day = { time_zone: user?.time_zone ?? null, day_start_hour: user?.day_start_hour ?? null };
      return [
        {
          now: asStored("timestamptz", now),
          at: clock.now + 2,
          user_id: userId,
          ...day,
          deleted: false,
          replies_since: 0,
        },
      ];
    }
    if (text.includes("pg_try_advisory_xact_lock(hashtextextended")) return [{ free: true }];
    if (text.includes("select time_zone from users")) return all("users");
    if (text.includes("r.wall_time from reminders r")) return all("reminders").filter(followsZone);
    if (text.includes("update reminders r set remind_at")) moveReminders(JSON.parse(String(values[1])));
    if (text.includes("pg_try_advisory")) return (values[0] as string[]).map((id) => ({ id, free: true }));
    if (text.includes("nextval")) return Array.from({ length: Number(values[0]) }, () => ({ id: ++lastId }));
    return [];
  }

  function moveReminders(moved: readonly Row[]): void {
    for (const { todo_id, remind_at } of moved)
      for (const row of all("reminders"))
        if (row.todo_id === todo_id && row.remind_at !== asStored("timestamptz", remind_at))
          put(tables.reminders, { ...row, remind_at, delivery_id: null });
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
    ledger: {
      learn: async () => {},
      refusal: () => undefined,
      count: () => () => {},
    },
    config: { defaultTimeZone: "Europe/Berlin" },
    givesPositions: false,
    metrics: { ended() {}, committed() {} },
    carryOn() {},
  };

  return {
    rows: (): ReadonlyMap<string, Row> => new Map(seen),
    log: () => all("action_log"),
    deletions: () => all("deletions"),
    user: () => all("users")[0],
    /** How many characters the transactions have sent and received so far. */
    traffic: () => traffic,
    /** What the delivery of due reminders does. */
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
        operationCommand({ command, batch: batch as never, repeat: false, inDoubt: false }, operation),
      );
      const { replies } = await runGroupTransaction(context, work, openGroup(group));
      return replyToGroup(
        command,
        replies.map(([, reply]) => reply),
      );
    },
  };
}

/** No worker reads the completions in a note. */
const withoutCompletions = ({ completed_dates: _, completed_times: __, ...row }: Row): Row => row;

export const userId = "ada";
export type Memory = ReturnType<typeof createMemory>;
