import type { Commands, InputOf } from "../../../shared/contracts/catalogue.ts";
import { todoFields } from "../../../shared/contracts/todo/fields.ts";
import { isRefused, notFound } from "../../../shared/errors.ts";
import { categoryRows, chosenCategory, relatedToChoice } from "../category/chosen.ts";
import { givenColumns } from "../columns.ts";
import type { Handler } from "../handler.ts";
import { dueTimeColumn } from "./due-time.ts";
import { moveReminder, rowsToMoveReminder } from "./moved-reminder.ts";
import { recurrenceColumns } from "./recurrence.ts";
import { checkIncomplete, putReminder, reminderTime, rowsForTime } from "./reminder.ts";
import { currentTodo, lockTodo, relatedToTodo, todoAnswer } from "./rows.ts";

export const todoUpdate: Handler<"todo.update"> = {
  stores: "more",
  rows: (input) => [...lockTodo(input), ...categoryRows(input), ...rowsForTime(input.remind_at)],
  related(loaded, input) {
    const [todo, choice] = [relatedToTodo(loaded, input), relatedToChoice(loaded, input)];
    const zone = isRescheduled(input) ? rowsToMoveReminder(loaded, input) : [];
    const makes = [...(todo.makes ?? []), ...(choice.makes ?? [])];
    return { rows: [...todo.rows, ...choice.rows, ...zone], makes };
  },
  current: currentTodo,
  run(context, input) {
    const { todos, reminders } = context;
    const { todo_id, remind_at } = input;
    const category = chosenCategory(context, input);
    if (isRefused(category)) return category;
    const time = remind_at == null ? null : reminderTime(context, remind_at);
    if (isRefused(time)) return time;
    const row = todos.get(todo_id);
    if (!row) return notFound("Todo");
    const refused = time && checkIncomplete(row);
    if (refused) return refused;
    const { recurrence = row.recurrence, due_date = row.due_date } = input;
    const series = isRescheduled(input)
      ? recurrenceColumns(context, recurrence, due_date, row)
      : { due_date };
    const timed = dueTimeColumn(series.due_date, input.due_time);
    if (isRefused(timed)) return timed;
    const updated = todos.update(row, {
      ...givenColumns(todoFields, { ...input, ...category() }),
      ...series,
      ...timed,
      updated_at: context.now,
    });
    if (time) putReminder(context, updated, time);
    else if (remind_at === null && reminders.get(todo_id)) reminders.remove(todo_id);
    else if (isRescheduled(input)) moveReminder(context, row, updated);
    return todoAnswer(context, updated);
  },
};

const isRescheduled = ({ recurrence, due_date }: InputOf<Commands["todo.update"]>): boolean =>
  recurrence !== undefined || due_date !== undefined;
