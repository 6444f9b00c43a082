import { isCalendarDate } from "../../../../shared/contracts/kernel/text.ts";
import { addDays, localDay } from "../../../../shared/domain/day/day.ts";
import type { PauseDates } from "../../../../shared/domain/habit/free-days.ts";
import { isRefused } from "../../../../shared/errors.ts";
import { readDaySettings } from "../../../queries/engine/context.ts";
import { readTodo } from "../../../queries/todo/read.ts";
import { seeOther } from "../../../web/redirect.ts";
import type { PageAnswer, Visit } from "../session/context.ts";
import { formKeyOf, submitLogged } from "../session/submit.ts";
import { submitUndo } from "../session/submit-undo.ts";
import { notedPage, noteOf, parseNote, resultNotes } from "./note-address.ts";

/** The commands of a habit's buttons, by their values. */
const habitCommands = {
  yes: "habit.complete",
  add: "habit.complete",
  no: "habit.undo",
  skip: "habit.skip",
  unskip: "habit.unskip",
  pause: "habit.update",
  archive: "habit.update",
  resume: "habit.update",
  unpause: "habit.update",
} as const;
type Answer = keyof typeof habitCommands;
const notes: Readonly<Record<Answer, string>> = {
  ...{ yes: "done", add: "added", no: "undone", skip: "skipped", unskip: "unskipped" },
  ...{ pause: "paused", archive: "archived", resume: "resumed", unpause: "resumed" },
};

type SentTick = Readonly<{
  kind: "habit" | "todo";
  id: number;
  answer: Answer;
  done: boolean;
  /** The amount to add; null for other answers. */
  amount: number | null;
  /** The day that the page showed; null in forms of older pages. */
  day: string | null;
  /** The moment of the press in epoch ms, by the browser's clock; 0 without scripts. */
  at: number;
  date: string | null;
}>;

function readTick(form: URLSearchParams): SentTick {
  const kind = form.has("habit_id") ? "habit" : "todo";
  const days = { day: form.get("day"), date: form.get("date") };
  const answers = Object.keys(habitCommands) as Answer[];
  // A button of a past day names the day as well: `2026-11-20 yes`.
  const [on = days.date, said = form.get("done")] = form.get("on")?.split(" ") ?? [];
  const answer = answers.find((one) => one === said) ?? "no";
  const amount = answer === "add" ? Number(form.get("amount")) : null;
  const id = Number(form.get(`${kind}_id`));
  const at = Date.parse(form.get("at") ?? "") || 0;
  return { kind, id, answer, done: answer === "yes", amount, at, day: days.day, date: on };
}

/** POST /account/tick: completes a habit or todo, or undoes that. An item already in that state stays in it. */
export async function toggleItem(visit: Visit, form: URLSearchParams): Promise<PageAnswer> {
  const tick = readTick(form);
  const { kind, id, answer, done, amount, day } = tick;
  const item = `${kind}-${id}`;
  const sent = amount === null ? (done ? "yes" : "no") : `add-${amount}`;
  const date = await meantDay(visit, tick);
  if (date === undefined) return seeOther(notedPage(visit, form, `late_${item}_${sent}_${day}`, item));
  const given = pauseOf(answer, date) ?? {
    ...(date !== null && { date }),
    ...(amount !== null && { amount }),
  };
  const [command, fields] =
    kind === "habit"
      ? ([habitCommands[answer], { habit_id: id, ...given }] as const)
      : (["todo.toggle", { todo_id: id, is_completed: done }] as const);
  const { outcome, key } = await submitLogged(visit, command, fields, { idempotencyKey: formKeyOf(form) });
  if (isRefused(outcome)) {
    const { refusal } = outcome;
    const end = refusal.isSoAlready ? "already" : refusal.code;
    if (!resultNotes.has(end) || refusal.errors?.amount) return outcome;
    return seeOther(notedPage(visit, form, `told_${end}`, item));
  }
  const anchor = (kind === "todo" && done && form.get("next")) || item;
  const note = noteOf({ verb: notes[answer], key });
  return seeOther(notedPage(visit, form, note, anchor));
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
  { kind, id, done, day, at, date }: SentTick,
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
