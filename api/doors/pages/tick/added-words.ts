import type { LoggedAction } from "../../../../shared/contracts/action/contracts.ts";
import { rhythmOf } from "../../../../shared/domain/habit/rhythm.ts";
import { isRefused } from "../../../../shared/errors.ts";
import { type Html, html } from "../../../../shared/html.ts";
import { type QueryContext, readDaySettings } from "../../../queries/engine/context.ts";
import { readHabit } from "../../../queries/habit/read.ts";
import { sayRepeat } from "../../../queries/quick-add/say-repeat.ts";
import { readTodo } from "../../../queries/todo/read.ts";
import { sayDue, sayTime, sayWallTime } from "../kit/dates.ts";
import { facts } from "../kit/facts.ts";
import { rhythmInWords } from "../kit/rhythm.ts";

/** The fields that were read from an added line, and a link that changes them. */
export async function addedWords(query: QueryContext, action: LoggedAction): Promise<Html | null> {
  const { resource_kind: kind, resource_id: id } = action;
  if (id === null || (kind !== "todo" && kind !== "habit")) return null;
  const read = kind === "todo" ? readTodoWords : readHabitWords;
  const words = await query.inTurn(async (own) => ({ list: await read(own, id) }), false);
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
