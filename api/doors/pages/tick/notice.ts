import { type LoggedAction, listActions } from "../../../../shared/contracts/action/contracts.ts";
import { isCalendarDate } from "../../../../shared/contracts/kernel/text.ts";
import { addDays } from "../../../../shared/domain/day/day.ts";
import { sayDated } from "../../../../shared/domain/day/say-date.ts";
import { daysBack, daysShown } from "../../../../shared/domain/habit/history.ts";
import { rhythmOf } from "../../../../shared/domain/habit/rhythm.ts";
import { isRefused } from "../../../../shared/errors.ts";
import { type Html, html } from "../../../../shared/html.ts";
import { validate } from "../../../http/input/validate.ts";
import { readActionInTurn } from "../../../queries/action/runs.ts";
import { changedThings } from "../../../queries/action/things.ts";
import { type QueryContext, readDaySettings } from "../../../queries/engine/context.ts";
import { readHabit } from "../../../queries/habit/read.ts";
import { sayRepeat } from "../../../queries/quick-add/say-repeat.ts";
import { readTodo } from "../../../queries/todo/read.ts";
import { formToken } from "../../../web/form/form.ts";
import { locale } from "../../../web/locale.ts";
import { sayDate, sayDue, sayTime, sayWallTime } from "../kit/dates.ts";
import { facts } from "../kit/facts.ts";
import { rhythmInWords } from "../kit/habit-words.ts";
import { type Tickable, tickFields } from "../kit/tick-button.ts";
import type { Visit } from "../session/context.ts";
import { hereWithoutNotes } from "../session/go-on.ts";
import { type Note, noteParameter, parseNote, resultNotes, verbs } from "./note-address.ts";

/**
 * The result of the last act (`?tick=…`), always in view. The empty element stays on the page, because screen readers
 * announce only changes within an element that they know.
 */
export async function tickNotice(visit: Visit): Promise<Html> {
  return html`<div id="notice" class="toast" role="status" data-part>${await content(visit)}</div>`;
}

async function content(visit: Visit): Promise<Html | null> {
  const text = visit.url.searchParams.get(noteParameter) ?? "";
  const [kind, ...rest] = text.split("_");
  if (kind === "late") return lateNotice(visit, rest);
  const said = kind === "told" && resultNotes.get(rest.join("_"));
  if (said) return note(visit, html`<p>${said}</p>`);
  const last = parseNote(text.replace(earlier, ""));
  return last ? undoNotice(visit, last, earlier.test(text)) : null;
}

/** Before the note of an act that was done before the one just undone. */
const earlier = /^back_/;

const note = ({ url }: Visit, content: Html): Html =>
  html`<div class="note spread">${content}<a class="close" href="${hereWithoutNotes({ url })}" aria-label="Close">×</a></div>`;

/** Offers to undo an act while it stands. Scripts remember earlier ones, and the offer follows them back. */
async function undoNotice(visit: Visit, { verb, key }: Note, isEarlier: boolean): Promise<Html | null> {
  if (isRefused(validate(listActions, { cursor: `${key.called_at}_${key.request_id}` }))) return null;
  const { query } = visit;
  const action = await readActionInTurn(query, key);
  const isOver = !action || action.undone_by !== null || action.door !== "page";
  if (isOver) return isEarlier ? note(visit, html`<p>${resultNotes.get("undone")}</p>`) : null;
  const { resource_kind: kind, resource_id: id, resource_name: name } = action;
  const what = name ?? `${changedThings(action).length} at once`;
  return note(
    visit,
    html`<p>${isEarlier && "Taken back. Before it: "}${verbs.get(verb)}: <strong>${what}</strong></p>
    ${verb === "done" && id !== null && (await againWords(query, action))}
    ${verb === "made" && !isEarlier && (await addedWords(query, action))}
    <form method="post" action="/account/tick/undo" data-stay>${formToken(visit, { ...key, next: id && `${kind}-${id}`, from: hereWithoutNotes(visit) })}
    <button class="link">Undo</button></form>`,
  );
}

/** A repeating todo says when it comes again. */
async function againWords(query: QueryContext, action: LoggedAction): Promise<Html | null> {
  const next = changedThings(action).find(({ kind, before }) => kind === "todo" && before === undefined);
  const date = next?.after?.due_date;
  if (typeof date !== "string") return null;
  const { today } = await readDaySettings(query);
  return html`<p class="quiet small">It comes again: ${sayDate(date, today.date)}</p>`;
}

/** The fields that were read from an added line, and a link that changes them. */
async function addedWords(query: QueryContext, action: LoggedAction): Promise<Html | null> {
  const { resource_kind: kind, resource_id: id } = action;
  if (id === null || (kind !== "todo" && kind !== "habit")) return null;
  const read = kind === "todo" ? readTodoWords : readHabitWords;
  const words = await query.inTurn(async (own) => ({ list: await read(own, id) }));
  const href = kind === "todo" ? `/account/todos/${id}` : `/account/habits/${id}/edit`;
  return html`${!isRefused(words) && facts(words.list)}<a class="close" href="${href}">Edit</a>`;
}

async function readTodoWords(query: QueryContext, todo_id: number) {
  const todo = await readTodo(query, { todo_id });
  if (isRefused(todo)) return [];
  const { date } = (await readDaySettings(query)).today;
  return [
    "todo",
    sayDue(todo, date),
    todo.recurrence && sayRepeat(todo.recurrence),
    todo.reminder && `reminder ${sayWallTime(todo.reminder.local_time, date)}`,
    todo.time_of_day,
    todo.estimated_minutes && `${todo.estimated_minutes} min`,
    todo.context,
    todo.category && `#${todo.category.name}`,
    todo.is_important ? "important" : null,
  ];
}

async function readHabitWords(query: QueryContext, habit_id: number) {
  const habit = await readHabit(query, { habit_id });
  if (isRefused(habit)) return [];
  return [
    habit.type === "bad" ? "habit to avoid" : "habit",
    rhythmInWords(rhythmOf(habit)),
    habit.time_of_day,
    habit.remind_at && `reminds at ${sayTime(habit.remind_at)}`,
    habit.category && `#${habit.category.name}`,
  ];
}

/** Asks for the meant day of a tick that was sent from a page of another day; nothing is completed yet. */
async function lateNotice(visit: Visit, asked: readonly string[]): Promise<Html | null> {
  const [item = "", answer, day = ""] = asked;
  const [, kind, number] = /^(habit|todo)-(\d{1,15})$/.exec(item) ?? [];
  if (!number || !isCalendarDate(day) || (kind !== "habit" && kind !== "todo")) return null;
  const id = Number(number);
  const found = await visit.query.inTurn((own) => readAsked(own, kind, id));
  if (isRefused(found) || !found.name) return null;
  const { today, name } = found;
  const amount = /^add-(\d{1,7})$/.exec(answer ?? "")?.[1];
  const done = answer === "yes" || amount !== undefined;
  const verb = amount === undefined ? "Tick it" : `Add ${amount}`;
  // A todo belongs to no day, so none of its days can be changed.
  const mayChange = kind === "habit" && addDays(today, -daysBack) <= day && day < today;
  const choices = [
    ...(mayChange ? [{ date: day, label: `${done ? verb : "Undo it"} for ${sayDay(day, today)}` }] : []),
    ...(done ? [{ date: today, label: `${verb} for today` }] : []),
  ];
  const choose = ({ date, label }: (typeof choices)[number]) =>
    tickForm(visit, { kind, id, day: today, ...(kind === "habit" && { date }) }, { done, label, amount });
  return html`<div class="note warn"><p>It is ${sayDay(today, today)} now, and the page was of ${sayDay(day, today)}.
    ${done ? "Not ticked off yet" : "Not taken back"}: <strong>${name}</strong></p>
    <div class="actions">${choices.map(choose)}</div></div>`;
}

const tickForm = (
  visit: Visit,
  item: Tickable,
  { done, label, amount }: Readonly<{ done: boolean; label: string; amount: string | undefined }>,
): Html =>
  html`<form method="post" action="/account/tick" data-stay>${tickFields(visit, item)}
    ${amount !== undefined && html`<input type="hidden" name="amount" value="${amount}">`}
    <button class="plain" name="done" value="${amount !== undefined ? "add" : done ? "yes" : "no"}">${label}</button></form>`;

/** The weekday alone if it is unambiguous: `Monday`; else the date. */
function sayDay(day: string, today: string): string {
  const isNear = addDays(today, -daysShown) < day && day <= today;
  return isNear
    ? new Date(day).toLocaleDateString("en-GB", { weekday: "long", timeZone: "UTC" })
    : sayDated(day, today, locale());
}

async function readAsked(query: QueryContext, kind: "habit" | "todo", id: number) {
  const { today } = await readDaySettings(query);
  const thing =
    kind === "todo" ? await readTodo(query, { todo_id: id }) : await readHabit(query, { habit_id: id });
  const name = isRefused(thing) ? undefined : "title" in thing ? thing.title : thing.name;
  return { today: today.date, name };
}
