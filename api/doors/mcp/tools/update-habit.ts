import { type Static, Type } from "typebox";
import { maxAtOnce } from "../../../../shared/contracts/group/contracts.ts";
import * as habit from "../../../../shared/contracts/habit/commands.ts";
import { habitFields } from "../../../../shared/contracts/habit/fields.ts";
import { CalendarDate, Id, Name } from "../../../../shared/contracts/kernel/fields.ts";
import { checkOneCategory, does, newCategoryScope, tool } from "../tool.ts";
import { clearing, clearOf, refuseChange } from "./clear.ts";
import { changedHabit, frequencyOf, HabitDayFacts, habitArguments, ofDay } from "./habit.ts";

const Dates = Type.Array(CalendarDate, {
  ...{ minItems: 1, maxItems: maxAtOnce, uniqueItems: true },
  expects: `a list of 1 to ${maxAtOnce} dates that differ`,
});

export const updateHabitTool = tool({
  name: "update-habit",
  title: "Change habit",
  description:
    "Change fields of habits; clear empties fields by name. skip_dates leaves days out, also to come, and keeps the streak; unskip_dates asks for them again. paused_from pauses, and alone archives; clear it to bring the habit back.",
  scopes: ["habits:write"],
  argumentScopes: newCategoryScope,
  destructive: true,
  idempotent: true,
  arguments: Type.Object({
    habit_id: Id,
    name: Type.Optional(Name),
    ...habitArguments,
    ...clearOf(habitFields),
    skip_dates: Type.Optional(Dates),
    unskip_dates: Type.Optional(Dates),
  }),
  many: { habit_ids: "habit_id" },
  refine: checkOneCategory,
  act({ habit_id, skip_dates = [], unskip_dates = [], ...change }) {
    const days = [
      ...skip_dates.map((date) => does(habit.skipHabit, { habit_id, date }, skipped)),
      ...unskip_dates.map((date) => does(habit.takeSkipBack, { habit_id, date }, unskipped)),
    ];
    const isOnlyOfDays = days.length > 0 && Object.keys(change).length === 0;
    if (isOnlyOfDays) return days;
    const { schedule, ...others } = change;
    const rhythm = schedule && { schedule, frequency: frequencyOf(change) };
    const input = { habit_id, ...clearing(others), ...rhythm };
    return refuseChange("habit_id", change) ?? [does(habit.updateHabit, input, changedHabit), ...days];
  },
  facts: HabitDayFacts,
});

type HabitOutput = Static<typeof habit.skipHabit.output>;
type Day = Readonly<{ date?: string }>;

const skipped = (shown: HabitOutput, day: Day) => ofDay(shown, day, "Skipped");
const unskipped = (shown: HabitOutput, day: Day) => ofDay(shown, day, "Not skipped", " any more");
