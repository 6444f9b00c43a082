import { isRefused } from "../../../../shared/errors.ts";
import { readDaySettings } from "../../../queries/engine/context.ts";
import { readTodo } from "../../../queries/todo/read.ts";
import { seeOther } from "../../../web/redirect.ts";
import type { Visit } from "../session/context.ts";
import { refusalPage } from "../session/refusal-page.ts";
import { submitLogged } from "../session/submit.ts";
import { submitUndo } from "../session/submit-undo.ts";
import { notedPage, told } from "./note-address.ts";

type SentTick = Readonly<{
  kind: "habit" | "todo";
  id: number;
  done: boolean;
  /** The day that the page showed; null in forms of older pages. */
  day: string | null;
  date: string | null;
}>;

function readTick(form: URLSearchParams): SentTick {
  const kind = form.has("habit_id") ? "habit" : "todo";
  const days = { day: form.get("day"), date: form.get("date") };
  return { kind, id: Number(form.get(`${kind}_id`)), done: form.get("done") === "yes", ...days };
}

/** POST /account/tick: completes a habit or todo, or undoes that. An item already in that state stays in it. */
export async function toggleItem(visit: Visit, form: URLSearchParams): Promise<Response> {
  const tick = readTick(form);
  const { kind, id, done, day, date } = tick;
  const item = `${kind}-${id}`;
  if (await isOfAnotherDay(visit, tick))
    return seeOther(notedPage(visit, form, `late_${item}_${done ? "yes" : "no"}_${day}`, item));
  const { outcome, key } =
    kind === "habit"
      ? await submitLogged(visit, done ? "habit.complete" : "habit.undo", {
          habit_id: id,
          ...(date !== null && { date }),
        })
      : await submitLogged(visit, "todo.toggle", { todo_id: id, is_completed: done });
  if (isRefused(outcome)) {
    const { refusal } = outcome;
    const end = refusal.isSoAlready ? "already" : refusal.code;
    if (!told.has(end)) return refusalPage(visit.context, refusal);
    return seeOther(notedPage(visit, form, `told_${end}`, item));
  }
  const place = (kind === "todo" && done && form.get("next")) || item;
  const note = `${done ? "done" : "undone"}_${key.called_at}_${key.request_id}`;
  return seeOther(notedPage(visit, form, note, place));
}

/** The day of a todo matters only if its successor is made from it. A tick that names its day is for that day. */
async function isOfAnotherDay(visit: Visit, { kind, id, done, day, date }: SentTick): Promise<boolean> {
  if (day === null || date !== null) return false;
  const query = visit.context.query({ userId: visit.session.sub });
  const { today } = await readDaySettings(query);
  if (day === today.date || kind === "habit") return day !== today.date;
  const todo = done && Number.isSafeInteger(id) && (await readTodo(query, { todo_id: id }));
  return todo !== false && !isRefused(todo) && todo.recurrence !== null;
}

/** POST /account/tick/undo: undoes exactly the changes of the action named in the form. */
export async function undoTick(visit: Visit, form: URLSearchParams): Promise<Response> {
  const key = { called_at: form.get("called_at") ?? "", request_id: form.get("request_id") ?? "" };
  const outcome = await submitUndo(visit, [key]);
  if (isRefused(outcome)) return refusalPage(visit.context, outcome.refusal);
  const isWhole = outcome.ends.every(({ undone }) => undone === "whole");
  const note = isWhole ? "told_undone" : "told_stays";
  return seeOther(notedPage(visit, form, note, form.get("next") ?? ""));
}
