import type { Static } from "typebox";
import type { Todo } from "../../../../shared/contracts/todo/fields.ts";
import { todoFields } from "../../../../shared/contracts/todo/fields.ts";
import { addDays } from "../../../../shared/domain/day/day.ts";
import { entityTag } from "../../../../shared/domain/preconditions.ts";
import { longestLine } from "../../../../shared/domain/todo/quick-add-words.ts";
import { isRefused } from "../../../../shared/errors.ts";
import { type Html, html } from "../../../../shared/html.ts";
import { type QuickTodo, readQuickAdd, readRepeat } from "../../../queries/quick-add/quick-add.ts";
import { sayRepeat } from "../../../queries/quick-add/say-repeat.ts";
import { readTodo } from "../../../queries/todo/read.ts";
import { formToken } from "../../../web/form/form.ts";
import { field } from "../../../web/form/form-fields.ts";
import { icon } from "../../../web/icons.ts";
import { seeOther } from "../../../web/redirect.ts";
import { tickFields } from "../kit/items.ts";
import { isRich, readableNotes, withTurnedLine } from "../kit/notes.ts";
import { nextWeek, sayDay } from "../kit/words.ts";
import type { PageAnswer, Visit } from "../session/context.ts";
import { pathId } from "../session/go-on.ts";
import { formKeyOf, submitLogged } from "../session/submit.ts";
import { notedPage, notedRefusal, noteOf } from "../tick/tick.ts";
import type { Draft, DraftErrors, FormContext, Settled, ThingForm } from "./thing-form.ts";
import {
  categoryField,
  categoryValue,
  chosenCategoryId,
  draftOf,
  fieldsOfDraft,
  inputsOf,
} from "./thing-form.ts";

const blank = { ...draftOf(todoFields), words: "", remind_at: "", category: "" } satisfies Draft;

export const todoForm: ThingForm = {
  noun: "todo",
  newPath: "/account/todos/new",
  path: (id) => `/account/todos/${id}`,
  shownAt: (id) => `/account/todos/${id}`,
  home: "/account",
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
    ...blank,
    ...draftOf(todoFields, todo),
    remind_at: todo.reminder?.local_time.replace(/:00$/, "") ?? "",
    recurrence: todo.recurrence === null ? "" : sayRepeat(todo.recurrence),
    category: String(todo.category?.id ?? ""),
  };
}

/** A line in words as a filled-in form. */
export function draftOfQuickTodo(quick: QuickTodo, context: FormContext): Draft {
  return {
    ...blank,
    ...draftOf(todoFields, quick),
    remind_at: quick.remind_at ?? "",
    recurrence: quick.recurrence === null ? "" : sayRepeat(quick.recurrence),
    category: categoryValue(quick.category, context),
  };
}

/** Writes the words into the fields that they set, so that exactly those fields count as changed. */
function settle(sent: Draft, context: FormContext): Settled {
  const { draft, ...others } = settleWords(sent, context);
  const repeat = readRepeat(draft.recurrence ?? "", context.clock);
  const fromCompletion = "rule" in repeat && repeat.fromCompletion;
  return { draft: { ...draft, ...(fromCompletion && { recurrence_from: "completion" }) }, ...others };
}

function settleWords({ words = "", ...draft }: Draft, context: FormContext): Settled {
  const quick = readQuickAdd(words, context.clock, "todo");
  if (quick.kind !== "todo" || words.trim() === "") return { draft: { ...draft, words: "" }, errors: {} };
  if (quick.title !== "")
    return { draft: { ...draft, words }, errors: { words: `Kept does not understand this: ${quick.title}` } };
  const said = Object.entries(draftOfQuickTodo(quick, context)).filter(([, value]) => value !== "");
  const settledDraft = { ...draft, ...Object.fromEntries(said), words: "" };
  return { draft: settledDraft, errors: {}, said: said.map(([name]) => name) };
}

function toFields(draft: Draft, context: FormContext) {
  const errors: Record<string, string> = {};
  const { recurrence = "", remind_at = "", category = "" } = draft;
  const repeat = recurrence.trim() === "" ? null : readRepeat(recurrence.trim(), context.clock);
  if (repeat && "error" in repeat) errors.recurrence = repeat.error.replace(/^The \w+ field/, "This");
  const fields = {
    ...fieldsOfDraft(todoFields, draft),
    remind_at: remind_at.trim() || null,
    recurrence: repeat && "rule" in repeat ? repeat.rule : null,
    category_id: chosenCategoryId(category, context),
  };
  return { fields, errors: errors satisfies DraftErrors };
}

/** The state of a todo, with a button that changes it and a link to its successor. */
async function todoState(
  { id, is_completed: done, completed_at, next_todo_id, is_overdue, description }: Static<typeof Todo>,
  { visit, clock }: FormContext,
): Promise<Html> {
  const since = completed_at && sayDay(completed_at, clock.timeZone, clock.today);
  const next = next_todo_id !== null && html` <a href="/account/todos/${next_todo_id}">The next one</a>`;
  return html`<form method="post" action="/account/tick" class="card spread">
    ${tickFields(visit, { kind: "todo", id, day: clock.today })}
    <p>${since ? html`Done: ${since}.${next}` : is_overdue && "Overdue"}</p>
    <button class="plain" name="done" value="${done ? "no" : "yes"}">${icon("check")}${done ? "Open again" : "Done"}</button></form>
    ${description && isRich(description) && html`<form method="post" action="/account/todos/${id}/check" class="notes">${formToken(visit, { key: crypto.randomUUID() })}${readableNotes(description)}</form>`}`;
}

/** POST /account/todos/:id/check: turns one line of the checklist in the notes. */
export async function checkLine(visit: Visit, form: URLSearchParams): Promise<PageAnswer> {
  const todo_id = pathId(visit.url);
  const todo = await readTodo(visit.query, { todo_id });
  if (isRefused(todo)) return todo;
  const description = withTurnedLine(todo.description ?? "", form.get("line") ?? "");
  const from = new URLSearchParams({ from: form.get("from") ?? `/account/todos/${todo_id}` });
  if (description === undefined) return seeOther(notedPage(visit, from, "told_unchanged", ""));
  const { outcome, key } = await submitLogged(
    visit,
    "todo.update",
    { todo_id, description },
    {
      idempotencyKey: formKeyOf(form),
      preconditions: { ifMatch: entityTag(JSON.stringify(todo)) },
    },
  );
  if (isRefused(outcome)) return notedRefusal(visit, from, outcome);
  return seeOther(notedPage(visit, from, noteOf({ verb: "saved", key }), ""));
}

function todoInputs(draft: Draft, errors: DraftErrors, context: FormContext): Html {
  const { title, due_date, due_time, recurrence, recurrence_from, time_of_day, ...more } = inputsOf(
    todoFields,
    draft,
    errors,
  );
  const { estimated_minutes, context: place, description, ...others } = more;
  const remindAt = field({
    name: "remind_at",
    value: draft.remind_at ?? "",
    error: errors.remind_at,
    label: "Remind me at",
    type: "datetime-local",
    required: false,
    hint: `${context.clock.timeZone}. It moves with the due date and time.`,
  });
  return html`${title}
    <div class="fields">${due_date}${soon(context.clock.today)}
    ${due_time}
    ${remindAt}</div>
    ${recurrence}
    ${recurrence_from}
    <div class="fields">${time_of_day}
    ${estimated_minutes}</div>
    <div class="fields">${place}
    ${categoryField(draft.category ?? "", errors.category ?? errors.category_id, context)}</div>
    ${Object.values(others)}
    ${description}`;
}

/** Days that are often meant. Scripts write them into the due date. */
const soon = (today: string): Html =>
  html`<p class="chips soon">${[
    ["Today", today],
    ["Tomorrow", addDays(today, 1)],
    ["Next week", nextWeek(today)],
  ].map(
    ([label, date]) => html`<button type="button" class="plain" data-due="${date}">${label}</button>`,
  )}</p>`;

/** A line that changes other fields when the form is saved. */
function wordsInput({ words = "" }: Draft, errors: DraftErrors): Html {
  return field({
    name: "words",
    label: "Or change it in words",
    value: words,
    error: errors.words,
    required: false,
    max: longestLine,
    hint: "Such as tomorrow at 9 every week #Home @desk 10min",
  });
}
