import type { Static } from "typebox";
import type { Todo } from "../../../shared/contracts/todo-schema.ts";
import { type QuickTodo, readQuickAdd } from "../../../shared/domain/quick-add/quick-add.ts";
import { readRepeat } from "../../../shared/domain/quick-add/read-repeat.ts";
import { sayRepeat } from "../../../shared/domain/quick-add/say-repeat.ts";
import { isRefused } from "../../../shared/errors.ts";
import { readTodo } from "../../queries/todo.ts";
import { categoryValue, chosenCategoryId } from "./category-choice.ts";
import type { Draft, DraftErrors, FormContext, Settled, ThingForm } from "./thing-form.ts";
import { todoInputs, wordsInput } from "./todo-inputs.ts";
import { todoState } from "./todo-state.ts";

const blank = {
  title: "",
  words: "",
  due_date: "",
  remind_at: "",
  recurrence: "",
  recurrence_from: "",
  time_of_day: "",
  estimated_minutes: "",
  context: "",
  category: "",
  description: "",
} satisfies Draft;

/** The pages of todos. */
export const todoForm: ThingForm = {
  noun: "todo",
  idField: "todo_id",
  commands: { create: "todo.create", update: "todo.update", remove: "todo.delete" },
  newPath: "/account/todos/new",
  path: (id) => `/account/todos/${id}`,
  shownAt: (id) => `/account/todos/${id}`,
  home: "/account",
  title: "New todo",
  blank,
  commandFields: { category: ["category_id"] },
  settle,
  toFields,
  async read(query, id) {
    const todo = await readTodo(query, { todo_id: id });
    if (isRefused(todo)) return todo;
    const lead = (context: FormContext) => todoState(todo, context);
    return { draft: draftOfTodo(todo), json: JSON.stringify(todo), name: todo.title, lead };
  },
  inputs: todoInputs,
  editInputs: wordsInput,
};

function draftOfTodo(todo: Static<typeof Todo>): Draft {
  return {
    title: todo.title,
    words: "",
    due_date: todo.due_date ?? "",
    remind_at: todo.reminder?.local_time.replace(/:00$/, "") ?? "",
    recurrence: todo.recurrence === null ? "" : sayRepeat(todo.recurrence),
    recurrence_from: todo.recurrence_from === "completion" ? "completion" : "",
    time_of_day: todo.time_of_day ?? "",
    estimated_minutes: String(todo.estimated_minutes ?? ""),
    context: todo.context ?? "",
    category: String(todo.category?.id ?? ""),
    description: todo.description ?? "",
  };
}

/** A line in words as a filled-in form. */
export function draftOfQuickTodo(quick: QuickTodo, context: FormContext): Draft {
  return {
    ...blank,
    title: quick.title,
    due_date: quick.due_date ?? "",
    remind_at: quick.remind_at ?? "",
    recurrence: quick.recurrence === null ? "" : sayRepeat(quick.recurrence),
    recurrence_from: quick.recurrence_from ?? "",
    time_of_day: quick.time_of_day ?? "",
    estimated_minutes: String(quick.estimated_minutes ?? ""),
    context: quick.context ?? "",
    category: categoryValue(quick.category, context),
  };
}

/** Puts what is said in words into the fields that it is about, so that it counts as changed where it is. */
function settle(sent: Draft, context: FormContext): Settled {
  const { draft, errors } = settleWords(sent, context);
  const repeat = readRepeat(draft.recurrence ?? "", context.clock);
  const fromCompletion = "rule" in repeat && repeat.fromCompletion;
  return { draft: { ...draft, ...(fromCompletion && { recurrence_from: "completion" }) }, errors };
}

function settleWords({ words = "", ...draft }: Draft, context: FormContext): Settled {
  const quick = readQuickAdd(words, context.clock, "todo");
  if (quick.kind !== "todo" || words.trim() === "") return { draft: { ...draft, words: "" }, errors: {} };
  if (quick.title !== "")
    return { draft: { ...draft, words }, errors: { words: `This is not understood: ${quick.title}` } };
  const said = Object.entries(draftOfQuickTodo(quick, context)).filter(([, value]) => value !== "");
  return { draft: { ...draft, ...Object.fromEntries(said), words: "" }, errors: {} };
}

function toFields(draft: Draft, context: FormContext) {
  const errors: Record<string, string> = {};
  const text = (name: keyof typeof blank): string | null => draft[name]?.trim() || null;
  const repeats = text("recurrence");
  const repeat = repeats === null ? null : readRepeat(repeats, context.clock);
  if (repeat && "error" in repeat) errors.recurrence = repeat.error.replace(/^The \w+ field/, "This");
  const minutes = text("estimated_minutes");
  const fields = {
    title: draft.title ?? "",
    due_date: text("due_date"),
    remind_at: text("remind_at"),
    recurrence: repeat && "rule" in repeat ? repeat.rule : null,
    recurrence_from: draft.recurrence_from === "completion" ? "completion" : "due",
    time_of_day: text("time_of_day"),
    estimated_minutes: minutes === null ? null : Number(minutes),
    context: text("context"),
    category_id: chosenCategoryId(draft.category ?? "", context),
    description: draft.description ?? "",
  };
  return { fields, errors: errors satisfies DraftErrors };
}
