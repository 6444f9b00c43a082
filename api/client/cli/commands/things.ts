import { createInterface } from "node:readline";
import {
  createGroup,
  dataOf,
  type EarlierId,
  everyItem,
  type Group,
  type Handle,
  type KeptClient,
} from "../../index.ts";
import type { components, operations } from "../../schema.ts";
import { type CommandLine, keptCommand } from "../command-line.ts";
import { noteAct } from "../memory.ts";
import {
  type Completable,
  categoryIdOf,
  differenceOf,
  type EditedFields,
  fetchThing,
  findCategory,
  findThing,
  isTodo,
  lineOf,
  nameOfThing,
  patchThing,
  removeThing,
  thingsWith,
  typeOf,
} from "../things.ts";

type Schemas = components["schemas"];

/** The category and the reminder are added with the thing, or nothing is. */
export const addCommand = keptCommand({
  name: "add",
  operands: "WORDS",
  summary: "makes a todo or a habit, read as on the pages, with its category and reminder; all or nothing",
  async run({ client, memory, print }, words) {
    const said = await dataOf(client.GET("/quick-add", { params: { query: { line: words.join(" ") } } }));
    const group = createGroup(client);
    const category_id = await categoryFor(client, group, said.category);
    const added = addThing(group, said, category_id);
    if (said.remind_at !== null) {
      const [path, body] = [{ todo_id: added.id }, { remind_at: said.remind_at }];
      group.add("PUT", "/todos/{todo_id}/reminder", { path, body });
    }
    const { id } = (await group.run()).of(added);
    const { thing } = await fetchThing(client, said.habit ? "habit" : "todo", id);
    await noteAct(memory, thing, { act: "added" });
    const lines = [`Added ${lineOf(thing)}${warningOf(thing)}`, ...otherReadings(said.alternatives)];
    print(lines.join("\n"), thing);
  },
});

/** The id of the category with this name, which is made if there is none. */
async function categoryFor(
  client: KeptClient,
  group: Group,
  name: string | null,
): Promise<number | EarlierId | null> {
  if (name === null) return null;
  const found = await findCategory(client, name);
  return found?.id ?? group.add("POST", "/categories", { body: { name } }).id;
}

function addThing(
  group: Group,
  { habit, todo }: Schemas["QuickAdd"],
  category_id: number | EarlierId | null,
): Handle<Completable> {
  if (habit) return group.add("POST", "/habits", { body: { ...habit, category_id } });
  if (todo) return group.add("POST", "/todos", { body: { ...todo, category_id } });
  throw new Error("These words are neither a todo nor a habit.");
}

/** A reminder that reaches nobody does not help, so the command warns. */
function warningOf(thing: Completable): string {
  const page = isTodo(thing) ? thing.reminder?.choose_channel_at : null;
  return page ? `\nThe reminder reaches nobody until you choose where reminders go: ${page}` : "";
}

const otherReadings = (alternatives: readonly { label: string }[]): readonly string[] =>
  alternatives.length === 0
    ? []
    : [`It may also mean: ${alternatives.map(({ label }) => label).join("; ")}. kept undo takes it back.`];

export const todayCommand = keptCommand({
  name: "today",
  operands: "",
  summary: "lists due habits, and due or overdue todos",
  async run({ client, print }) {
    const [me, dashboard] = await Promise.all([dataOf(client.GET("/me")), dataOf(client.GET("/dashboard"))]);
    const { today, time_zone } = me;
    const { habits, stats } = dashboard;
    const todos = dashboard.todos.filter(({ due_date }) => due_date !== null && due_date <= today);
    const others = stats.pending_todos - todos.length;
    const lines = [
      `${today} (${time_zone})`,
      ...[...habits, ...todos].map(lineOf),
      ...(others > 0 ? [`${others} more pending todo${others === 1 ? "" : "s"}`] : []),
    ];
    print(lines.join("\n"), { today, time_zone, habits, todos });
  },
});

type QueryOf<Name extends "listTodos" | "listHabits"> = NonNullable<operations[Name]["parameters"]["query"]>;
/** The service refuses filters that a list does not have. */
type Filters = QueryOf<"listTodos"> & QueryOf<"listHabits">;

/** The filter of each option that has another name. */
const filterNames: Readonly<Record<string, string>> = {
  from: "due_from",
  to: "due_to",
  "done-since": "done_since",
  "time-of-day": "time_of_day",
  reminder: "has_reminder",
  "completed-today": "completed_today",
};

export const listCommand = keptCommand({
  name: "list",
  operands: "[todos|habits|categories]",
  summary: "lists todos, or habits or categories, each on a line",
  options: {
    status: { type: "string", value: "incomplete|completed|all", summary: "todos; incomplete by default" },
    due: { type: "string", value: "today|overdue|upcoming|none", summary: "habits only with today" },
    from: { type: "string", value: "DATE", summary: "todos due on this day or later" },
    to: { type: "string", value: "DATE", summary: "todos due on this day or earlier" },
    "done-since": { type: "string", value: "DATE", summary: "todos completed since this day" },
    reminder: { type: "boolean", summary: "todos with a reminder" },
    context: { type: "string", value: "CONTEXT", summary: "todos with this @context" },
    "completed-today": { type: "boolean", summary: "habits completed today" },
    frequency: { type: "string", value: "daily|weekly|custom", summary: "habits" },
    "time-of-day": { type: "string", value: "morning|afternoon|evening", summary: "todos and habits" },
    category: { type: "string", value: "NAME", summary: "todos and habits of this category" },
  },
  async run({ client, print }, [kind = "todos"], { category, ...given }) {
    const category_id = category === undefined ? undefined : await categoryIdOf(client, String(category));
    const entries = Object.entries(given).map(([name, value]) => [filterNames[name] ?? name, value]);
    const filters = { ...Object.fromEntries(entries), ...(category_id && { category_id }) };
    for await (const thing of listed(client, kind, filters)) print(lineOf(thing), thing);
  },
});

function listed(client: KeptClient, kind: string, filters: Filters) {
  if (kind === "todos")
    return everyItem((page) => client.GET("/todos", { params: { query: { ...filters, page } } }));
  if (kind === "habits")
    return everyItem((page) => client.GET("/habits", { params: { query: { ...filters, page } } }));
  if (kind === "categories")
    return everyItem((page) => client.GET("/categories", { params: { query: { ...filters, page } } }));
  throw new Error(`“${kind}” is no list; there are todos, habits and categories.`);
}

export const searchCommand = keptCommand({
  name: "search",
  operands: "WORDS",
  summary: "lists todos, also completed ones, and habits with these words",
  async run({ client, print }, words) {
    const q = words.join(" ");
    let isEmpty = true;
    for await (const thing of thingsWith(client, q)) {
      isEmpty = false;
      print(lineOf(thing), thing);
    }
    if (isEmpty) throw new Error(`Nothing has “${q}” in it.`);
  },
});

export const doneCommand = keptCommand({
  name: "done",
  operands: "WHAT",
  summary: "completes a todo or, for today, a habit",
  async run({ client, memory, print }, words) {
    const found = await findThing(client, words.join(" "));
    if (isTodo(found) && found.is_completed) throw new Error(`“${found.title}” is completed already.`);
    const { thing, date } = await complete(client, found);
    await noteAct(memory, thing, { act: "completed", ...(date && { date }) });
    print(lineOf(thing), thing);
  },
});

/** Names the day of a habit, so that an undo after midnight undoes this completion and no other. */
async function complete(
  client: KeptClient,
  found: Completable,
): Promise<Readonly<{ thing: Completable; date?: string }>> {
  if (isTodo(found)) {
    const [params, body] = [{ path: { todo_id: found.id } }, { is_completed: true }];
    return { thing: await dataOf(client.POST("/todos/{todo_id}/toggle", { params, body })) };
  }
  const { today: date } = await dataOf(client.GET("/me"));
  const params = { path: { habit_id: found.id } };
  return {
    thing: await dataOf(client.POST("/habits/{habit_id}/complete", { params, body: { date } })),
    date,
  };
}

export const editCommand = keptCommand({
  name: "edit",
  operands: "WHAT FIELD=VALUE...",
  summary:
    "changes fields of a todo or a habit, as PATCH of the REST interface names them; category=NAME chooses a category, and FIELD= clears",
  async run(commandLine, words) {
    const { client } = commandLine;
    const first = words.findIndex((word) => assignment.test(word));
    if (first < 1) throw new Error("Say what to edit, then its fields: kept edit t7 due_date=2026-12-01");
    const found = await findThing(client, words.slice(0, first).join(" "));
    await changeThing(commandLine, found, await fieldsOf(client, words.slice(first)));
  },
});

const assignment = /^(\w+)=(.*)$/s;

async function fieldsOf(client: KeptClient, words: readonly string[]): Promise<EditedFields> {
  const fields: [string, ReturnType<typeof readValue>][] = [];
  for (const word of words) {
    const [, name = "", text = ""] = assignment.exec(word) ?? [];
    if (name === "") throw new Error(`“${word}” is no FIELD=VALUE; put a value of many words in quotes.`);
    if (name !== "category") fields.push([name, readValue(name, text)]);
    else fields.push(["category_id", text === "" ? null : await categoryIdOf(client, text)]);
  }
  return Object.fromEntries(fields);
}

/** Fields whose values are words, even if they look like a number. */
const texts = ["title", "name", "description", "context", "unit", "category"];

/** Numbers, true, false and objects are read as JSON; everything else is text. */
function readValue(name: string, text: string) {
  if (text === "") return null;
  if (texts.includes(name)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Changes fields of a thing. Its earlier values are stored for `kept undo`. */
async function changeThing(
  { client, memory, print }: CommandLine,
  found: Completable,
  fields: EditedFields,
): Promise<void> {
  const { thing: earlier, etag } = await fetchThing(client, typeOf(found), found.id);
  const thing = await patchThing(client, earlier, fields, etag);
  await noteAct(memory, thing, { act: "edited", before: differenceOf(earlier, thing) });
  print(lineOf(thing), thing);
}

export const snoozeCommand = keptCommand({
  name: "snooze",
  operands: "WHAT WHEN",
  summary:
    "puts a todo off with its reminder: kept snooze t7 next friday at 9 (WHAT of many words needs quotes)",
  async run(commandLine, [what = "", ...when]) {
    const found = await findThing(commandLine.client, what);
    if (!isTodo(found)) throw new Error(`“${found.name}” is a habit, and only todos are put off.`);
    await changeThing(commandLine, found, await readTime(commandLine.client, when.join(" ")));
  },
});

/** A title that no words of time contain, so that any word left over shows. */
const title = "Snooze";

/** The day, and the time of day if one is said, as the service reads the words. */
async function readTime(client: KeptClient, words: string): Promise<EditedFields> {
  const query = { line: `${title} ${words}` };
  const { todo } = await dataOf(client.GET("/quick-add", { params: { query } }));
  if (todo?.title !== title || todo.due_date === null || todo.recurrence !== null)
    throw new Error(`“${words}” is no day; say for example tomorrow, friday at 9 or 2026-12-01.`);
  return { due_date: todo.due_date, ...(todo.due_time !== null && { due_time: todo.due_time }) };
}

export const deleteCommand = keptCommand({
  name: "delete",
  operands: "WHAT",
  summary: "deletes a todo or a habit, after asking",
  options: { yes: { type: "boolean", summary: "does not ask" } },
  async run({ client, memory, url, print }, words, { yes }) {
    const found = await findThing(client, words.join(" "));
    const { thing, etag } = await fetchThing(client, typeOf(found), found.id);
    if (!yes && !(await isAgreed(`${lineOf(thing)}\nDelete it? [y/N] `)))
      throw new Error("Nothing is deleted without a yes; --yes does not ask.");
    await removeThing(client, typeOf(thing), thing.id, etag);
    await noteAct(memory, thing, { act: "deleted" });
    const text = `Deleted “${nameOfThing(thing)}”. To restore it, open the page ${url}/account/actions`;
    print(text, { deleted: typeOf(thing), id: thing.id });
  },
});

/** Asks on standard error, because standard output is for answers. An end of the input means no. */
async function isAgreed(question: string): Promise<boolean> {
  process.stderr.write(question);
  const lines = createInterface({ input: process.stdin });
  for await (const line of lines) return /^y(es)?$/i.test(line.trim());
  return false;
}
