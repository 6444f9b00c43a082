import { Type } from "typebox";
import Format from "typebox/format";
import type { TimeOfDay } from "../../domain/vocabulary.ts";
import { TimeOfDayField } from "../kernel/fields.ts";
import { isCalendarDate } from "../kernel/text.ts";
import { parseDoneCursor } from "./done-cursor.ts";

/** A todo's place in the default order. */
export type TodoPlace = Readonly<{
  id: number;
  due_date: string | null;
  due_time: string | null;
  time_of_day: TimeOfDay | null;
}>;

const shape =
  /^(?:-|(\d{4}-\d{2}-\d{2})(?:T((?:[01]\d|2[0-3]):[0-5]\d))?)\.(-|morning|afternoon|evening)\.([1-9]\d{0,15})$/;

/**
 * The place as one word in plain text, because encoding would cost an agent three times the tokens. Without a due
 * time it has the form of earlier releases, so their cursors still work.
 */
export const todoCursor = ({ id, due_date, due_time, time_of_day }: TodoPlace): string =>
  `${due_date ?? "-"}${due_time === null ? "" : `T${due_time}`}.${time_of_day ?? "-"}.${id}`;

/** @returns undefined when the text is not a cursor */
export function parseTodoCursor(text: string): TodoPlace | undefined {
  const [, due_date = null, due_time = null, time = "-", id] = shape.exec(text) ?? [];
  if (!Number.isSafeInteger(Number(id)) || (due_date !== null && !isCalendarDate(due_date))) return undefined;
  return {
    id: Number(id),
    due_date,
    due_time,
    time_of_day: TimeOfDayField.enum.find((known) => known === time) ?? null,
  };
}

Format.Set("todo-cursor", (text) => (parseTodoCursor(text) ?? parseDoneCursor(text)) !== undefined);

export const TodoCursor = Type.String({
  format: "todo-cursor",
  expects: "the next_cursor of an earlier answer",
});
