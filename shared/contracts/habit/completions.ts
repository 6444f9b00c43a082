import { Type } from "typebox";
import { daysBetween } from "../../domain/day/day.ts";
import type { FieldErrors } from "../../errors.ts";
import { query } from "../kernel/contract.ts";
import { CalendarDate, checkPeriod, Id, Nullable, Timestamp, titled } from "../kernel/fields.ts";
import { exampleCompletions } from "./examples.ts";
import { CompletionNote } from "./fields.ts";

/** A year, leap years included. */
export const mostCompletionDays = 366;

/** A habit and a period, which the reads of its days share. */
export const daysOfHabit = Type.Object({
  habit_id: Id,
  from: Type.Optional(CalendarDate),
  to: Type.Optional(CalendarDate),
});

type Period = Readonly<{ from?: string | undefined; to?: string | undefined }>;

export const checkPeriodOfDays = ({ from, to }: Period): FieldErrors | undefined =>
  checkPeriod("from", from, "to", to) ?? checkLength(from, to);

function checkLength(from: string | undefined, to: string | undefined): FieldErrors | undefined {
  if (from === undefined || to === undefined || daysBetween(from, to) < mostCompletionDays) return undefined;
  return { to: [`The to field must be at most ${mostCompletionDays - 1} days after from.`] };
}

const HabitCompletions = titled(
  "HabitCompletions",
  Type.Object({
    data: Type.Array(
      titled(
        "HabitCompletion",
        Type.Object({ date: CalendarDate, completed_at: Timestamp, note: Nullable(CompletionNote) }),
      ),
    ),
  }),
);

export const listCompletions = query({
  name: "habit.completions",
  resource: "Habit",
  scopes: ["habits:read"],
  summary: `List the days on which a habit was completed, newest first: at most ${mostCompletionDays} days, by default the last ones`,
  rest: [
    {
      operationId: "listHabitCompletions",
      method: "GET",
      path: "/habits/{habit_id}/completions",
      status: 200,
      example: exampleCompletions,
    },
  ],
  input: daysOfHabit,
  output: HabitCompletions,
  refine: checkPeriodOfDays,
});
