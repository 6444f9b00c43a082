import { defineEntity, type InferEntity, p } from "@mikro-orm/core";
import type { RecurrenceStart } from "../../domain/vocabulary.ts";
import { date, id, owner, timeOfDay, timestamps, timestamptz } from "./columns.ts";

export const TodoEntity = defineEntity({
  name: "Todo",
  tableName: "todos",
  properties: {
    user_id: owner(),
    id: id(),
    title: p.text(),
    description: p.text().nullable(),
    due_date: date().nullable(),
    time_of_day: timeOfDay(),
    estimated_minutes: p.integer().nullable(),
    context: p.text().nullable(),
    category_id: p.bigint("number").nullable(),
    is_completed: p.boolean(),
    completed_at: timestamptz().nullable(),
    /** The user's date at completion, for the activity strip; a time-zone change never rewrites it. */
    completed_on: date().nullable(),
    recurrence: p.text().nullable(),
    recurrence_from: p.text().$type<RecurrenceStart>(),
    recurrence_anchor: date().nullable(),
    next_todo_id: p.bigint("number").nullable(),
    ...timestamps,
  },
});

export type TodoRow = InferEntity<typeof TodoEntity>;
