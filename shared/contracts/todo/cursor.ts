import { Type } from "typebox";
import Format from "typebox/format";
import type { TimeOfDay } from "../../domain/vocabulary.ts";
import { TimeOfDayField } from "../kernel/fields.ts";
import { isCalendarDate } from "../kernel/text.ts";

/** A todo's place in the default order. */
export type TodoPlace = Readonly<{ id: number; due_date: string | null; time_of_day: TimeOfDay | null }>;

const shape = /^(-|\d{4}-\d{2}-\d{2})\.(-|morning|afternoon|evening)\.([1-9]\d{0,15})$/;

/** The place as one word: plain text, because encoding it would cost an agent three times the tokens. */
export const todoCursor = ({ id, due_date, time_of_day }: TodoPlace): string =>
  `${due_date ?? "-"}.${time_of_day ?? "-"}.${id}`;

/** @returns undefined when the text is not a cursor */
export function parseTodoCursor(text: string): TodoPlace | undefined {
  const [, due = "-", time = "-", id] = shape.exec(text) ?? [];
  if (!Number.isSafeInteger(Number(id)) || (due !== "-" && !isCalendarDate(due))) return undefined;
  return {
    id: Number(id),
    due_date: due === "-" ? null : due,
    time_of_day: TimeOfDayField.enum.find((known) => known === time) ?? null,
  };
}

Format.Set("todo-cursor", (text) => parseTodoCursor(text) !== undefined);

export const TodoCursor = Type.String({
  format: "todo-cursor",
  expects: "the next_cursor of an earlier answer",
});
