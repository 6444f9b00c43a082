import { describe, expect, test } from "bun:test";
import { changedHabit } from "../../api/doors/mcp/tools/habit.ts";
import { oneTodo } from "../../api/doors/mcp/tools/todo.ts";
import { changesIn } from "../../api/doors/pages/action/narrator.ts";
import { categoryForm } from "../../api/doors/pages/edit/category-form.ts";
import { habitForm } from "../../api/doors/pages/edit/habit-form.ts";
import type { FormContext } from "../../api/doors/pages/edit/thing-form.ts";
import { todoForm } from "../../api/doors/pages/edit/todo-form.ts";
import { exportFormat, presentInFile } from "../../api/doors/pages/export/exported-things.ts";
import { columnsOfTable, presentInTable } from "../../api/doors/pages/export/page.ts";
import { collect } from "../../api/doors/pages/import/plan.ts";
import { otherFacts } from "../../api/doors/pages/kit/items.ts";
import { readQuickAdd } from "../../api/queries/quick-add/quick-add.ts";
import { categoryFields } from "../../shared/contracts/category/fields.ts";
import { habitFields } from "../../shared/contracts/habit/fields.ts";
import type { DeclaredFields, Field } from "../../shared/contracts/kernel/declared-fields.ts";
import { todoFields, todoTags } from "../../shared/contracts/todo/fields.ts";
import { CategoryEntity, HabitEntity, TodoEntity } from "../../shared/db/entities/things.ts";
import { presentCategory, presentHabit, presentTodo } from "../../shared/db/present.ts";
import { isReaching, perTarget, reminderChannels } from "../../shared/domain/reminder/channels.ts";
import { markup } from "../../shared/html.ts";
import type { HandlerContext } from "../../workers/handlers/handler.ts";
import { insertCategories } from "../../workers/handlers/import/import.ts";
import { insertHabits, insertTodos } from "../../workers/handlers/import/things.ts";
import { openApiCopy, openApiText } from "../service/contract/write-openapi.ts";
import { list, textOf } from "./sources.ts";

/**
 * The places in which each column of a thing must appear, because a field that one place misses is lost silently.
 * Deliberate omissions are listed here.
 */
const places = ["answers", "tools", "form", "log", "export", "csv", "import", "migrations"] as const;
type Place = (typeof places)[number];
type Left = Readonly<Record<string, readonly Place[]>>;

const everywhere = places.filter((place) => place !== "migrations");
const leave = (from: readonly Place[], names: string): Left =>
  Object.fromEntries(names.split(" ").map((name) => [name, from]));
/** Kept for an undo, and never shown. */
const hidden: Left = { former_category_id: everywhere };
const notEdited: readonly Place[] = ["form", "log"];
const keys: Left = {
  user_id: everywhere,
  id: notEdited,
  created_at: [...notEdited, "tools"],
  updated_at: [...notEdited, "tools"],
};
/** The unit of work signs rows; pages tell who made a thing, and answers whose words it has. */
const authors: Left = { created_by: everywhere, changed_by: everywhere };
const writer: Left = { written_by: everywhere.filter((place) => place !== "answers" && place !== "tools") };
/** Follows from a habit's completions and rules. */
const ofStreak: readonly Place[] = [...notEdited, "export", "import"];

/** Tools tell the names of categories with their things. */
const untold: Left = { id: [...notEdited, "tools"], name: ["tools"], color: ["tools"], icon: ["tools"] };

const left: Readonly<Record<"categories" | "habits" | "todos", Left>> = {
  categories: { ...keys, ...authors, written_by: everywhere, ...untold },
  habits: {
    ...keys,
    ...hidden,
    ...authors,
    ...writer,
    // Lines say the schedule of a custom rhythm.
    frequency: ["tools"],
    completions_count: [...ofStreak, "tools"],
    longest_streak: ofStreak,
    ...leave([...ofStreak, "csv"], "streak streak_alive_through recent_dates recent_amounts"),
    skipped_dates: [...notEdited, "csv", "tools"],
    ...leave(everywhere, "next_due free_dates done_from done_days edits pauses neutral_dates moved_to"),
    ...leave(everywhere, "rings_at rang_on delivery_id"),
  },
  todos: {
    ...keys,
    ...hidden,
    ...authors,
    ...writer,
    is_completed: notEdited,
    completed_at: [...notEdited, "tools"],
    completed_on: [...notEdited, "answers", "tools"],
    recurrence_anchor: [...notEdited, "answers", "tools"],
    next_todo_id: notEdited,
  },
};

const today = {
  date: "2026-11-20",
  timeZone: "UTC",
  lastMinute: "2026-11-20T10:00",
  reaches: "nobody",
  baseUrl: "https://kept.example",
  reader: { tokenId: "", name: null },
} as const;
const time = "2026-11-19T20:15:44.902177Z";

/** Values of columns whose type does not suggest one. */
const values: Readonly<Record<string, unknown>> = {
  ...{ id: 7, category_id: 7, next_todo_id: 7, created_at: time, updated_at: time },
  ...{ schedule: { every_days: 3 }, recurrence: "FREQ=DAILY", icon: "heart" },
  ...{ completions_count: 4, streak: 4, longest_streak: 5, streak_alive_through: "2026-11-21" },
  ...{ recent_dates: [today.date], skipped_dates: [today.date], neutral_dates: [today.date] },
  ...{ done_days: "1", edits: [{}], pauses: [] },
  ...{ recent_amounts: { [today.date]: 6 } },
};

/** Another value of columns that are never null. */
const others: Readonly<Record<string, unknown>> = { recent_amounts: {}, name: "Other", title: "Other" };

function sampleOf(column: string, { kind, value }: Partial<Field> = {}): unknown {
  if (column in values) return values[column];
  if (kind === "choice") return value?.enum?.at(-1);
  if (kind === "number") return 5;
  if (kind === "flag") return true;
  if (kind === "instant") return time;
  if (kind === "date") return "2026-11-18";
  if (kind === "time") return "14:30";
  return kind === "color" ? "#112233" : `Some ${column}`;
}

type Row = Readonly<Record<string, unknown>>;

const habitOf = (row: Row) => presentHabit(row as never, categoryOf(row), today);
const todoOf = (row: Row) => presentTodo(row as never, categoryOf(row), undefined, today);
const things = [
  {
    table: "categories",
    kind: "category",
    ...{ entity: CategoryEntity, fields: categoryFields, form: categoryForm },
    ...{ present: (row: Row) => presentCategory(row as never), told: (_: Row) => undefined },
  },
  {
    table: "habits",
    kind: "habit",
    ...{ entity: HabitEntity, fields: habitFields, form: habitForm },
    ...{ present: habitOf, told: (row: Row) => changedHabit(habitOf(row)) },
  },
  {
    table: "todos",
    kind: "todo",
    ...{ entity: TodoEntity, fields: todoFields, form: todoForm },
    ...{ present: todoOf, told: (row: Row) => oneTodo("Changed", todoOf(row)) },
  },
] as const;

const categoryOf = ({ category_id }: Row) =>
  typeof category_id === "number" ? { id: category_id, name: "Home", color: "#112233" } : undefined;

/** The row that an import makes of an exported one. */
function broughtBack(table: keyof typeof left, row: Row): Row {
  const home = { id: 7, name: "Home", color: "#112233", created_at: time, updated_at: time };
  const file = { ...exportFormat, categories: [home], [table]: [presentInFile[table](row as never)] };
  const { found } = collect([{ name: "kept.json", text: JSON.stringify(file) }], { today });
  const rows: Row[] = [];
  const own = { all: () => [], get: () => undefined, insert: (made: Row) => rows.push(made) };
  const tables = {
    categories: own,
    habits: own,
    todos: own,
    users: own,
    reminders: own,
    habitHistories: own,
  };
  const clock = { now: time, nowMs: Date.parse(time), acceptedAt: Date.parse(time), today };
  const context = { ...tables, ...clock, nextId: () => 7 } as unknown as HandlerContext;
  const ids = new Map(found.flatMap(({ thing }) => ("key" in thing ? [[thing.key, 7] as const] : [])));
  const known = { ids, isNew: () => true };
  const categories = found.flatMap((one) => (one.kind === "categories" ? [one.thing] : []));
  insertCategories(context, categories, categories, known);
  const habits = found.flatMap((one) => (one.kind === "habits" ? [one.thing] : []));
  insertHabits(context, habits, [], known);
  const todos = found.flatMap((one) => (one.kind === "todos" ? [one.thing] : []));
  insertTodos(context, todos, known);
  return rows.at(-1) ?? {};
}

const migrations = (await Promise.all(list("shared/db/migrations/**/*.ts").map(textOf))).join("\n");

/** True if some statement on the table names the column at the begin of a line or behind "add". */
const isMigrated = (table: string, column: string): boolean =>
  new RegExp(`\\b(create|alter) table ${table}\\b[^;\`]*(\\n| add (if not exists )?)\\s*${column} `).test(
    migrations,
  );

describe.each(things)("a field of $table", ({ table, entity, fields, form, present, told }) => {
  const declared: DeclaredFields = fields;
  const columns = Object.keys(entity.meta.properties);
  const row: Row = {
    remind_at: null,
    ...Object.fromEntries(columns.map((name) => [name, sampleOf(name, declared[name])])),
  };
  const imported = broughtBack(table, row);
  const known = { names: new Map(), timeZone: "UTC" };
  const clock = { now: Date.parse(time), timeZone: "UTC", today: today.date };
  const context = { clock, categories: [] } as unknown as FormContext;
  const inputs = markup(form.inputs(form.blank, {}, context));

  /** True if clearing the column changes the output. */
  const matters = (column: string, show: (row: Row) => unknown) => {
    const cleared = { ...row, [column]: Array.isArray(row[column]) ? [] : (others[column] ?? null) };
    return JSON.stringify(show(row)) !== JSON.stringify(show(cleared));
  };
  const isIn: Readonly<Record<Place, (column: string) => boolean>> = {
    answers: (column) => matters(column, present),
    tools: (column) =>
      matters(column, (one) => told(one)?.facts) && matters(column, (one) => told(one)?.lines),
    form: (column) =>
      Object.keys(form.blank).some(
        (name) => (form.commandFields[name] ?? [name]).includes(column) && inputs.includes(`name="${name}"`),
      ),
    log: (column) => {
      const change = { table, before: { [column]: row[column] }, after: { [column]: null } };
      return changesIn(change, known).length > 0;
    },
    export: (column) => matters(column, (one) => presentInFile[table](one as never)),
    csv: (column) =>
      matters(column, (one) => {
        const cells = presentInTable(table, one as never);
        return columnsOfTable(table).map((name) => cells[name]);
      }),
    import: (column) => Bun.deepEquals(imported[column], row[column]),
    migrations: (column) => isMigrated(table, column),
  };

  test.each(places)("is in the %s, or left out there on purpose", (place) => {
    const leftOut = (column: string) => left[table][column]?.includes(place) ?? false;
    const lost = columns.filter((column) => !leftOut(column) && !isIn[place](column));
    expect(lost.map((column) => `${table}.${column} is not in the ${place}`)).toEqual([]);
  });

  test("is not said to be left out where it is not", () => {
    const wrong = Object.entries(left[table]).flatMap(([column, out]) =>
      columns.includes(column)
        ? out.filter((place) => isIn[place](column)).map((place) => `${column}: ${place}`)
        : [column],
    );
    expect(wrong).toEqual([]);
  });
});

test("a choice of a todo is a tag, which a line of words sets, rows show and the page tells", async () => {
  // These have words and filters of their own.
  const own = ["time_of_day", "recurrence_from"];
  const untold = Object.entries<Field>(todoFields).filter(
    ([name, { kind, mark }]) => kind === "choice" && mark === undefined && !own.includes(name),
  );
  expect(untold.map(([name]) => `todos.${name} is no tag`)).toEqual([]);
  const page = await textOf("docs/quick-add.md");
  for (const [name, field] of Object.entries<Field>(todoTags)) {
    const value = sampleOf(name, field);
    const quick = readQuickAdd(`Call ${field.mark}"${value}"`, { ...today, now: 0, today: today.date });
    expect(quick).toMatchObject({ title: "Call", [name]: value });
    expect(otherFacts(quick).join()).toContain(String(value));
    expect([field.mark, page.includes(`\`${field.mark}`)]).toEqual([field.mark, true]);
  }
});

test("a name that two things declare has one meaning, because the reference has one for each name", () => {
  const all = things.flatMap(({ fields }) => Object.entries<Field>(fields));
  const meanings = Map.groupBy(all, ([name]) => name);
  const unlike = [...meanings].filter(
    ([, same]) => new Set(same.map(([, { meaning, hint }]) => meaning ?? hint)).size > 1,
  );
  expect(unlike.map(([name]) => name)).toEqual([]);
});

test("a reminder channel is documented and tested, and its texts have columns and labels of their own", async () => {
  const page = await textOf("docs/channels.md");
  const tests = (await Promise.all(list("test/workers/reminder/channels/*.test.ts").map(textOf))).join();
  const untold = reminderChannels.filter((name) => isReaching(name) && !page.includes(`\`${name}\``));
  const untested = reminderChannels.filter((name) => !tests.includes(`behavesAsChannel("${name}"`));
  const missing = Object.keys(perTarget(() => null)).filter((column) => !isMigrated("users", column));
  const labels = Object.values(perTarget(({ label }) => label)).filter((label) => label !== undefined);
  const twice = labels.filter((label, at) => labels.indexOf(label) < at);
  expect({ untold, untested, missing, twice }).toEqual({ untold: [], untested: [], missing: [], twice: [] });
});

test("docs/openapi.json is what npm run openapi writes", async () => {
  const isCurrent = (await Bun.file(openApiCopy).text()) === openApiText();
  expect(isCurrent ? "current" : "run npm run openapi").toBe("current");
});
