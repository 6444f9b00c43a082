import { everyItem, type KeptClient } from "../../index.ts";
import type { operations } from "../../schema.ts";
import { findCategory } from "../categories.ts";
import { type Given, keptCommand } from "../command-line.ts";
import { lineOf } from "../things.ts";

type Query<Name extends "listTodos" | "listHabits"> = NonNullable<operations[Name]["parameters"]["query"]>;

/** The option of each filter that has another name. */
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
    const category_id = category === undefined ? undefined : await idOf(client, category);
    const entries = Object.entries(given).map(([name, value]) => [filterNames[name] ?? name, value]);
    const filters = { ...Object.fromEntries(entries), ...(category_id && { category_id }) };
    for await (const thing of listed(client, kind, filters)) print(lineOf(thing), thing);
  },
});

/** The service refuses filters that a list does not have. */
function listed(client: KeptClient, kind: string, filters: Given) {
  if (kind === "todos")
    return everyItem((page) =>
      client.GET("/todos", { params: { query: { ...(filters as Query<"listTodos">), page } } }),
    );
  if (kind === "habits")
    return everyItem((page) =>
      client.GET("/habits", { params: { query: { ...(filters as Query<"listHabits">), page } } }),
    );
  if (kind === "categories")
    return everyItem((page) => client.GET("/categories", { params: { query: { ...filters, page } } }));
  throw new Error(`“${kind}” is no list; there are todos, habits and categories.`);
}

async function idOf(client: KeptClient, name: string): Promise<number> {
  const found = await findCategory(client, name);
  if (!found) throw new Error(`There is no category “${name}”.`);
  return found.id;
}
