import { isCalendarDate } from "../../../shared/contracts/text.ts";
import { timesOfDay } from "../../../shared/domain/vocabulary.ts";
import { type Html, html } from "../../../shared/web/html.ts";
import type { Names } from "../../queries/names.ts";
import { sayFullDate } from "../dates.ts";
import { type Args, argument, idIn, quote, textIn } from "./arguments.ts";

/** What a call is about: the verb as it is said of a call that happened, and of one that was refused. */
type Deed = Readonly<{ done: string; tried: string; object: Html | string }>;

type Describe = (args: Args, names: Names) => Deed;

/**
 * What a tool call did, or was refused to do, as a sentence about the user's own things. Whatever the tool
 * and its arguments are, they are no part of the sentence but in quotation marks.
 */
export function describeCall(call: { tool: string; args: Args; ok: boolean; names: Names }): Html {
  const { tool, args, ok, names } = call;
  try {
    const { done, tried, object } = (deeds.get(tool) ?? unknownTool(tool))(args, names);
    return html`${ok ? done : `Tried to ${tried}`} ${object}`;
  } catch {
    // One row that nobody thought of must not take the page with it.
    return html`Made a call that cannot be described`;
  }
}

/** Calls over the rate limit share a row: of what they were, it only knows the first. */
export const describeRefusals = (calls: number): Html =>
  html`${calls} ${calls === 1 ? "call" : "calls"} refused: over the limit`;

/** By tool name: a map, as an object answers to names such as constructor too. */
const deeds: ReadonlyMap<string, Describe> = new Map(
  Object.entries<Describe>({
    "get-today-habits": (args) => ({
      done: "Looked at",
      tried: "look at",
      object: html`the habits due today${timeOfDay(args)}`,
    }),
    "get-pending-todos": (args) => ({
      done: "Looked at",
      tried: "look at",
      object: html`the ${argument(args, "overdue_only") === true ? "overdue" : "pending"} todos${within(args)}`,
    }),
    "create-habit": (args) => ({
      done: "Created",
      tried: "create",
      object: html`the habit ${quote(argument(args, "name"))}${argument(args, "type") === "bad" && ", to avoid"}`,
    }),
    "create-todo": (args) => ({
      done: "Created",
      tried: "create",
      object: html`the todo ${quote(argument(args, "title"))}${dueOn(args)}${repeating(args)}`,
    }),
    "toggle-todo": (args, names) => {
      const object = todoOf(args, names);
      const completed = argument(args, "completed");
      if (completed === true) return { done: "Ticked off", tried: "tick off", object };
      if (completed === false) return { done: "Reopened", tried: "reopen", object };
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
  }),
);

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

const given = (args: Args, name: string): boolean => argument(args, name) !== undefined;

const dueOn = (args: Args) => given(args, "due_date") && html`, due ${dueDate(args)}`;
const within = (args: Args) =>
  given(args, "context") && html` of the context ${quote(argument(args, "context"))}`;
const repeating = (args: Args) =>
  given(args, "recurrence") && html`, repeating by ${quote(argument(args, "recurrence"))}`;

function timeOfDay(args: Args) {
  const time = timesOfDay.find((known) => known === argument(args, "time_of_day"));
  return time
    ? html`, ${time}`
    : given(args, "time_of_day") && html`, ${quote(argument(args, "time_of_day"))}`;
}

function dueDate(args: Args): Html | string {
  const text = textIn(args, "due_date") ?? "";
  return isCalendarDate(text) ? sayFullDate(text) : quote(argument(args, "due_date"));
}

const clearable: readonly unknown[] = ["description", "due_date"];

function changes(args: Args): Html | false {
  const clear = argument(args, "clear");
  const cleared = Array.isArray(clear) ? clear.slice(0, 3).map((name) => html`no ${field(name)}`) : [];
  const set = ["title", "description"]
    .filter((name) => given(args, name))
    .map((name) => html`${name} ${quote(argument(args, name))}`);
  const due = given(args, "due_date") ? [html`due ${dueDate(args)}`] : [];
  const all = [...set, ...due, ...cleared];
  return all.length > 0 && html`: ${all.map((change, index) => html`${index > 0 && ", "}${change}`)}`;
}

const field = (name: unknown): Html | string =>
  clearable.includes(name) ? String(name).replaceAll("_", " ") : quote(name);
