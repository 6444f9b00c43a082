import { type Html, html } from "../../html.ts";
import type { Names } from "../../read/names.ts";
import { sayFullDate } from "../dates.ts";
import { type Args, idIn, quote, textIn } from "./arguments.ts";

/** What a call is about: the verb as it is said of a call that happened, and of one that was refused. */
type Deed = Readonly<{ done: string; tried: string; object: Html | string }>;

type Describe = (args: Args, names: Names) => Deed;

/** What a tool call did, or was refused to do, as a sentence about the user's own things. */
export function describeCall(call: { tool: string; args: Args; ok: boolean; names: Names }): Html {
  const { tool, args, ok, names } = call;
  const { done, tried, object } = (deeds[tool] ?? unknownTool(tool))(args, names);
  return html`${ok ? done : `Tried to ${tried}`} ${object}`;
}

const deeds: Readonly<Record<string, Describe>> = {
  "get-today-habits": (args) => ({
    done: "Looked at",
    tried: "look at",
    object: html`the habits due today${textIn(args, "time_of_day") && html`, ${textIn(args, "time_of_day")}`}`,
  }),
  "get-pending-todos": (args) => ({
    done: "Looked at",
    tried: "look at",
    object: html`the ${args.overdue_only === true ? "overdue" : "pending"} todos${within(args)}`,
  }),
  "create-habit": (args) => ({
    done: "Created",
    tried: "create",
    object: html`the habit ${quote(args.name)}${args.type === "bad" && ", to avoid"}`,
  }),
  "create-todo": (args) => ({
    done: "Created",
    tried: "create",
    object: html`the todo ${quote(args.title)}${dueOn(args)}${repeating(args)}`,
  }),
  "toggle-todo": (args, names) => {
    const object = todoOf(args, names);
    if (args.completed === true) return { done: "Ticked off", tried: "tick off", object };
    if (args.completed === false) return { done: "Reopened", tried: "reopen", object };
    return { done: "Ticked off or reopened", tried: "tick off or reopen", object };
  },
  "update-todo": (args, names) => ({
    done: "Changed",
    tried: "change",
    object: html`${todoOf(args, names)}${changes(args)}`,
  }),
  "delete-todo": (args, names) => ({ done: "Deleted", tried: "delete", object: todoOf(args, names) }),
  "complete-habit": (args, names) => ({
    done: "Completed",
    tried: "complete",
    object: named("habit", idIn(args, "habit_id"), names.habits),
  }),
};

const unknownTool =
  (tool: string): Describe =>
  () => ({ done: "Called", tried: "call", object: html`a tool that Kept does not have, ${quote(tool)}` });

const todoOf = (args: Args, names: Names): Html => named("todo", idIn(args, "todo_id"), names.todos);

/** By its present name, or by number once it is gone. */
function named(kind: string, id: number | undefined, names: ReadonlyMap<number, string>): Html {
  const name = id === undefined ? undefined : names.get(id);
  return name === undefined
    ? html`the ${kind} ${id ?? "without a number"}`
    : html`the ${kind} ${quote(name)}`;
}

const dueOn = (args: Args) => args.due_date !== undefined && html`, due ${dueDate(args)}`;
const repeating = (args: Args) =>
  args.recurrence !== undefined && html`, repeating by ${textIn(args, "recurrence")}`;
const within = (args: Args) => args.context !== undefined && html` of the context ${quote(args.context)}`;

function dueDate(args: Args): string | undefined {
  const text = textIn(args, "due_date");
  return text !== undefined && /^\d{4}-\d\d-\d\d$/.test(text) && Date.parse(text) ? sayFullDate(text) : text;
}

function changes(args: Args): Html | false {
  const cleared = Array.isArray(args.clear) ? args.clear.map((name) => html`no ${said(name)}`) : [];
  const set = ["title", "description"]
    .filter((name) => args[name] !== undefined)
    .map((name) => html`${name} ${quote(args[name])}`);
  const due = args.due_date === undefined ? [] : [html`due ${dueDate(args)}`];
  const all = [...set, ...due, ...cleared];
  return all.length > 0 && html`: ${all.map((change, index) => html`${index > 0 && ", "}${change}`)}`;
}

const said = (field: unknown): string => String(field).slice(0, 40).replaceAll("_", " ");
