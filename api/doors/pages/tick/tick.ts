import { type LoggedAction, listActions } from "../../../../shared/contracts/action/contracts.ts";
import { isCalendarDate } from "../../../../shared/contracts/kernel/text.ts";
import { addDays, localDay } from "../../../../shared/domain/day/day.ts";
import { sayDated } from "../../../../shared/domain/day/say-date.ts";
import type { PauseDates } from "../../../../shared/domain/habit/free-days.ts";
import { daysBack, daysShown } from "../../../../shared/domain/habit/history.ts";
import { rhythmOf } from "../../../../shared/domain/habit/rhythm.ts";
import { isRefused, type Refused } from "../../../../shared/errors.ts";
import { type Html, html } from "../../../../shared/html.ts";
import { validate } from "../../../http/input.ts";
import { type ActionKey, readActionInTurn } from "../../../queries/action/runs.ts";
import { changedThings } from "../../../queries/action/things.ts";
import { type QueryContext, readDaySettings } from "../../../queries/engine/context.ts";
import { readHabit } from "../../../queries/habit/read.ts";
import { sayRepeat } from "../../../queries/quick-add/say-repeat.ts";
import { readTodo } from "../../../queries/todo/read.ts";
import { formToken } from "../../../web/form/form.ts";
import { locale } from "../../../web/locale.ts";
import { seeOther } from "../../../web/redirect.ts";
import { otherFacts, type Tickable, tickFields } from "../kit/items.ts";
import { facts, rhythmInWords, sayDate, sayDue, sayTime, sayWallTime } from "../kit/words.ts";
import type { Guest, PageAnswer, Visit } from "../session/context.ts";
import { hereWithoutNotes, withParameter } from "../session/go-on.ts";
import { readName } from "../session/sent-form.ts";
import { formKeyOf, submitLogged, submitUndo } from "../session/submit.ts";

/** The commands of a habit's buttons, by their values, each with the note of its result. */
const habitActs = {
  yes: ["habit.complete", "done"],
  add: ["habit.complete", "added"],
  no: ["habit.undo", "undone"],
  skip: ["habit.skip", "skipped"],
  unskip: ["habit.unskip", "unskipped"],
  pause: ["habit.update", "paused"],
  archive: ["habit.update", "archived"],
  resume: ["habit.update", "resumed"],
  unpause: ["habit.update", "resumed"],
} as const;
type Answer = keyof typeof habitActs;

const isAnswer = (text: string): text is Answer => Object.hasOwn(habitActs, text);

/** The day is the one that the page showed, and `at` the moment of the press by the browser's clock; 0 without scripts. */
function readTick(form: URLSearchParams) {
  const kind = form.has("habit_id") ? ("habit" as const) : "todo";
  // A button of a past day names the day as well: `2026-11-20 yes`.
  const [date = form.get("date"), said = form.get("done")] = form.get("on")?.split(" ") ?? [];
  const answer = said !== null && isAnswer(said) ? said : "no";
  const amount = answer === "add" ? Number(form.get("amount")) : null;
  const at = Date.parse(form.get("at") ?? "") || 0;
  const id = Number(form.get(`${kind}_id`));
  return { kind, id, answer, done: answer === "yes", amount, at, day: form.get("day"), date };
}

/** POST /account/tick: completes a habit or todo, or undoes that. An item already in that state stays in it. */
export async function toggleItem(visit: Visit, form: URLSearchParams): Promise<PageAnswer> {
  const tick = readTick(form);
  const { kind, id, answer, done, amount, day } = tick;
  const item = `${kind}-${id}`;
  const sent = amount === null ? (done ? "yes" : "no") : `add-${amount}`;
  const date = await meantDay(visit, tick);
  if (date === undefined) return seeOther(notedPage(visit, form, `late_${item}_${sent}_${day}`, item));
  const note = answer === "yes" ? form.get("note")?.trim() : undefined;
  const given = pauseOf(answer, date) ?? {
    ...(date !== null && { date }),
    ...(note && { note }),
    ...(amount !== null && { amount }),
  };
  const how = { idempotencyKey: formKeyOf(form) };
  const [command, verb] = habitActs[answer];
  const { outcome, key } =
    kind === "habit"
      ? await submitLogged(visit, command, { habit_id: id, ...given }, how)
      : await submitLogged(visit, "todo.toggle", { todo_id: id, is_completed: done }, how);
  if (isRefused(outcome))
    return outcome.refusal.errors?.amount ? outcome : notedRefusal(visit, form, outcome, item);
  const anchor = (kind === "todo" && done && form.get("next")) || item;
  return seeOther(notedPage(visit, form, noteOf({ verb, key }), anchor));
}

/** The pause that a button sets from its day on; undefined for other buttons. The days of an ended pause stay free. */
function pauseOf(answer: Answer, day: string | null): Partial<PauseDates> | undefined {
  if (day === null || !isCalendarDate(day)) return undefined;
  if (answer === "pause") return { paused_from: day, paused_through: addDays(day, 6) };
  if (answer === "archive") return { paused_from: day, paused_through: null };
  if (answer === "resume") return { paused_through: addDays(day, -1) };
  return answer === "unpause" ? { paused_from: null } : undefined;
}

/**
 * The day of a todo matters only if its successor is made from it.
 * @returns the day to complete, null for today; undefined if the person must say it
 */
async function meantDay(
  { query }: Visit,
  { kind, id, done, day, at, date }: ReturnType<typeof readTick>,
): Promise<string | null | undefined> {
  if (day === null || date !== null) return date;
  const { today, timeZone, dayStartHour } = await readDaySettings(query);
  if (day === today.date) return null;
  // A tick that waited for a connection is for the day on which it was made.
  const isMeant = day === localDay(Math.min(at, query.now), timeZone, dayStartHour);
  if (kind === "habit") return isMeant ? day : undefined;
  const todo = done && Number.isSafeInteger(id) && (await readTodo(query, { todo_id: id }));
  return todo !== false && !isRefused(todo) && todo.recurrence !== null ? undefined : null;
}

/** POST /account/tick/undo: undoes exactly the change of the action named in the form. */
export async function undoTick(visit: Visit, form: URLSearchParams): Promise<PageAnswer> {
  const key = { called_at: form.get("called_at") ?? "", request_id: form.get("request_id") ?? "" };
  const outcome = await submitUndo(visit, [key]);
  if (isRefused(outcome)) return outcome;
  const isWhole = outcome.ends.every(({ undone }) => undone === "whole");
  // Scripts remember what was done before it, which can be undone next.
  const before = form.get("earlier") ?? "";
  const note = !isWhole ? "told_stays" : parseNote(before) ? `back_${before}` : "told_undone";
  return seeOther(notedPage(visit, form, note, form.get("next") ?? ""));
}

/**
 * The result of the last act (`?tick=…`), always in view. The empty element stays on the page, because screen readers
 * announce only changes within an element that they know.
 */
export async function actNotice(visit: Visit): Promise<Html> {
  return html`<div class="toast"><div id="notice" role="status" data-part>${await content(visit)}</div></div>`;
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
    ...otherFacts(todo),
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
  return { today: today.date, ...(await readName(query, kind, id)) };
}

/** The parameter of a page's address with the result of the last tick, for the note at the bottom. */
const noteParameter = "tick";

/** Notes by result of a tick. Other results have a page of their own. */
const resultNotes: ReadonlyMap<string, string> = new Map([
  ["undone", "Taken back."],
  ["stays", "Something was changed since and stays as it is. Activity has the whole story."],
  ["already", "That was so already."],
  ["unchanged", "Nothing was changed."],
  ["not_found", "It is not there any more."],
  ["invalid", "That day can no longer be changed."],
]);

/** The results that can be undone, by the first word of a note. */
const verbs: ReadonlyMap<string, string> = new Map([
  ["done", "Done"],
  ["undone", "Not done"],
  ["skipped", "Skipped"],
  ["unskipped", "Not skipped any more"],
  ["paused", "Paused for a week"],
  ["archived", "Archived"],
  ["resumed", "Brought back"],
  ["added", "Added"],
  ["made", "Added"],
  ["today", "Moved to today"],
  ["tomorrow", "Moved to tomorrow"],
  ["week", "Moved to next week"],
  ["moved", "Moved"],
  ["edited", "Changed"],
  ["saved", "Saved"],
  ["deleted", "Deleted"],
]);

/** A result that can be undone, and the log key of its change. */
type Note = Readonly<{ verb: string; key: ActionKey }>;

/** A result as a parameter: `done_2026-11-23T09:00:00.000Z_ID`. */
export const noteOf = ({ verb, key }: Note): string => `${verb}_${key.called_at}_${key.request_id}`;

/** @returns undefined for a parameter of another form */
function parseNote(text: string): Note | undefined {
  const [, verb = "", called_at = "", request_id = ""] =
    /^([a-z]+)_([\d:.TZ-]+)_([\da-f-]+)$/.exec(text) ?? [];
  return verbs.has(verb) ? { verb, key: { called_at, request_id } } : undefined;
}

/** The page of a form with a note about a refusal; the refusal itself if it needs a page of its own. */
export function notedRefusal(
  visit: Pick<Guest, "site">,
  form: URLSearchParams,
  refused: Refused,
  anchor = "",
): PageAnswer {
  const { isSoAlready, code } = refused.refusal;
  const end = isSoAlready ? "already" : code;
  return resultNotes.has(end) ? seeOther(notedPage(visit, form, `told_${end}`, anchor)) : refused;
}

/** The page of a form, at the element named by `anchor`, with a note. */
export function notedPage(
  { site }: Pick<Guest, "site">,
  form: URLSearchParams,
  note: string,
  anchor: string,
): string {
  return `${withParameter(site, form.get("from"), noteParameter, note)}#${encodeURIComponent(anchor)}`;
}
