import { forKeyShare } from "../../unit-of-work/row-request.ts";
import { checkCategory } from "../check-category.ts";
import { checkQuota } from "../check-quota.ts";
import type { Handler } from "../handler.ts";
import { defaultRecurrenceFrom, recurrenceColumns } from "./recurrence.ts";
import { todoAnswer } from "./rows.ts";

export const todoCreate: Handler<"todo.create"> = {
  makes: "todos",
  rows: ({ category_id }) => forKeyShare("categories", category_id),
  run(context, input) {
    const refused = checkCategory(context, input.category_id) ?? checkQuota(context, "todos");
    if (refused) return refused;
    const row = context.todos.insert({
      id: context.nextId("todos"),
      title: input.title,
      description: input.description ?? null,
      time_of_day: input.time_of_day ?? null,
      estimated_minutes: input.estimated_minutes ?? null,
      context: input.context ?? null,
      category_id: input.category_id ?? null,
      is_completed: false,
      completed_at: null,
      completed_on: null,
      ...recurrenceColumns(context, input.recurrence ?? null, input.due_date ?? null),
      recurrence_from: input.recurrence_from ?? defaultRecurrenceFrom,
      next_todo_id: null,
      created_at: context.now,
      updated_at: context.now,
    });
    return todoAnswer(context, row);
  },
};
