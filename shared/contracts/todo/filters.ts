import { type Static, Type } from "typebox";
import Format from "typebox/format";
import type { TimeOfDay } from "../../domain/vocabulary.ts";
import type { FieldProblems } from "../../errors.ts";
import { optionalValues } from "../kernel/declared-fields.ts";
import {
  CalendarDate,
  checkPeriod,
  DueField,
  Flag,
  Name,
  OneOf,
  SearchText,
  TimeOfDayField,
  WholeNumber,
} from "../kernel/fields.ts";
import { isCalendarDate } from "../kernel/text.ts";
import { todoTags } from "./fields.ts";

/** A todo's place among completed ones, newest first. */
type DonePlace = Readonly<{ id: number; completed_on: string; completed_at: string }>;

const donePlace = /^done\.(\d{4}-\d{2}-\d{2})\.(\d{4}-\d{2}-\d{2}T[\d:]{8}\.\d{6}Z)\.([1-9]\d{0,15})$/;

export const doneCursor = ({ id, completed_on, completed_at }: DonePlace): string =>
  `done.${completed_on}.${completed_at}.${id}`;

/** @returns undefined when the text is no cursor of completed todos */
export function parseDoneCursor(text: string): DonePlace | undefined {
  const [, completed_on = "", completed_at = "", id] = donePlace.exec(text) ?? [];
  const isInstant = !Number.isNaN(Date.parse(completed_at));
  if (!isInstant || !isCalendarDate(completed_on) || !Number.isSafeInteger(Number(id))) return undefined;
  return { id: Number(id), completed_on, completed_at };
}

/** A todo's place in the default order. */
export type TodoPlace = Readonly<{
  id: number;
  due_date: string | null;
  due_time: string | null;
  time_of_day: TimeOfDay | null;
}>;

const place =
  /^(?:-|(\d{4}-\d{2}-\d{2})(?:T((?:[01]\d|2[0-3]):[0-5]\d))?)\.(-|morning|afternoon|evening)\.([1-9]\d{0,15})$/;

/** The place as one word in plain text, because encoding would cost an agent three times the tokens. */
export const todoCursor = ({ id, due_date, due_time, time_of_day }: TodoPlace): string =>
  `${due_date ?? "-"}${due_time === null ? "" : `T${due_time}`}.${time_of_day ?? "-"}.${id}`;

/** @returns undefined when the text is not a cursor */
export function parseTodoCursor(text: string): TodoPlace | undefined {
  const [, due_date = null, due_time = null, time = "-", id] = place.exec(text) ?? [];
  if (!Number.isSafeInteger(Number(id)) || (due_date !== null && !isCalendarDate(due_date))) return undefined;
  return {
    id: Number(id),
    due_date,
    due_time,
    time_of_day: TimeOfDayField.enum.find((known) => known === time) ?? null,
  };
}

Format.Set("todo-cursor", (text) => (parseTodoCursor(text) ?? parseDoneCursor(text)) !== undefined);

const TodoCursor = Type.String({
  format: "todo-cursor",
  expects: "the next_cursor of an earlier answer",
});

/** The default limit of listed pending todos. */
export const pendingLimit = 25;
const maxPendingLimit = 100;

export const ListedStatus = OneOf(["pending", "completed", "all"]);

/** The arguments of get-pending-todos. */
export const PendingFilters = Type.Object({
  query: Type.Optional(SearchText),
  status: Type.Optional(ListedStatus),
  done_since: Type.Optional(CalendarDate),
  done_through: Type.Optional(CalendarDate),
  due: Type.Optional(DueField),
  due_by: Type.Optional(CalendarDate),
  due_on: Type.Optional(CalendarDate),
  overdue_only: Type.Optional(Flag),
  has_reminder: Type.Optional(Flag),
  ...optionalValues(todoTags),
  category: Type.Optional(Name),
  count_by_category: Type.Optional(Flag),
  limit: Type.Optional(WholeNumber(1, maxPendingLimit)),
  cursor: Type.Optional(TodoCursor),
});

export type PendingInput = Static<typeof PendingFilters>;

type Done = Pick<PendingInput, "status" | "done_since" | "done_through">;

/** The status of the listed todos. A caller who names a day of completion wants completed ones. */
export const listedStatus = ({ status, done_since, done_through }: Done) =>
  status ?? ((done_since ?? done_through) === undefined ? "pending" : "completed");

/** Refuses filters that exclude each other, because "none found" would pass for an answer. */
export function checkPending(input: Partial<PendingInput>): FieldProblems | undefined {
  const { due, overdue_only, due_by, due_on, done_since, done_through, has_reminder } = input;
  const beside = (["category", "cursor"] as const).find((name) => input[name] !== undefined);
  if (input.count_by_category && beside)
    return {
      [beside]: [{ reason: `${beside} cannot be given beside count_by_category`, next: "leave it out." }],
    };
  if (overdue_only && due !== undefined && due !== "overdue")
    return excludes("due", due, "overdue_only asks for");
  if (due === "none" && due_by !== undefined) return excludes("due", due, "due_by asks for");
  const besideDay = (["due", "due_by", "overdue_only"] as const).find((name) => input[name]);
  if (due_on !== undefined && besideDay)
    return { due_on: [{ reason: `due_on cannot be given beside ${besideDay}`, next: "send one of them." }] };
  const doneDay = done_since === undefined ? "done_through" : "done_since";
  const done = done_since ?? done_through;
  const status = listedStatus(input);
  if (status === "pending" && done !== undefined) return excludes("status", status, `${doneDay} asks for`);
  const isForPending = overdue_only || due === "overdue" || has_reminder;
  if (isForPending && (status === "completed" || done !== undefined))
    return excludes(
      done === undefined ? "status" : doneDay,
      done ?? status,
      "is overdue or has a reminder that will ring",
    );
  return checkPeriod("done_since", done_since, "done_through", done_through);
}

const excludes = (field: string, value: string, wanted: string): FieldProblems => ({
  [field]: [
    {
      reason: `The ${field} field is ${value}, which excludes everything that ${wanted}`,
      next: "send one of them.",
    },
  ],
});
