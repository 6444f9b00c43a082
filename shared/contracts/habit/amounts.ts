import { Type } from "typebox";
import { query } from "../kernel/contract.ts";
import { CalendarDate, titled } from "../kernel/fields.ts";
import { checkPeriodOfDays, daysOfHabit, mostCompletionDays } from "./completions.ts";
import { exampleAmounts } from "./examples.ts";

const HabitAmounts = titled(
  "HabitAmounts",
  Type.Object({
    data: Type.Array(
      titled(
        "HabitAmount",
        Type.Object({
          date: CalendarDate,
          amount: Type.Integer(),
          target: Type.Integer({
            description: "By which the day counts; 0 for one that was ticked off without",
          }),
        }),
      ),
    ),
  }),
);

export const listAmounts = query({
  name: "habit.amounts",
  resource: "Habit",
  scopes: ["habits:read"],
  summary: `List the amounts of a habit by day, newest first: at most ${mostCompletionDays} days, by default the last ones`,
  rest: [
    {
      operationId: "listHabitAmounts",
      method: "GET",
      path: "/habits/{habit_id}/amounts",
      status: 200,
      example: exampleAmounts,
    },
  ],
  input: daysOfHabit,
  output: HabitAmounts,
  refine: checkPeriodOfDays,
});
