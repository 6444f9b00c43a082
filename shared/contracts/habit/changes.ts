import { type Static, Type } from "typebox";
import type { FieldProblems } from "../../errors.ts";
import { categoryNames, checkOneCategory } from "../category/name.ts";
import { checkChanges, clearing } from "../kernel/clear.ts";
import { optionalValues } from "../kernel/declared-fields.ts";
import { Flag, Id, OneOf } from "../kernel/fields.ts";
import { form } from "../kernel/tool.ts";
import { DeletedHabitFacts, OneHabitFacts } from "./facts.ts";
import { habitFields } from "./fields.ts";
import { changedHabit, deletedHabit } from "./result.ts";

/** The arguments that describe a habit, in the tool that makes one and where one is changed. */
export const habitArguments = { ...optionalValues(habitFields), ...categoryNames };

const pausing = {
  reason: "Habits have no archive",
  next: "set paused_from without paused_through, and clear both to bring the habit back.",
};

/** Fields of habits in other apps, each with the nearest field here. */
export const unlikeHabits: FieldProblems = { archived: [pausing], archive: [pausing] };

const clearable = Object.entries(habitFields).filter(([, { usual }]) => usual !== undefined);
const cleared = ["category", ...clearable.map(([name]) => name)];

type Frequency = Static<(typeof habitFields)["frequency"]["value"]>;

/** A schedule alone says enough. */
export const frequencyOf = ({ schedule }: Readonly<{ schedule?: object }>): Frequency =>
  schedule === undefined ? "daily" : "custom";

/** The form of complete-habit that changes a habit; `set` has the changes, so that the list names them only once. */
export const changingHabit = form({
  command: "habit.update",
  by: "set",
  within: Type.Object({}, { expects: 'an object of changes such as {"name": "Read"}' }),
  arguments: Type.Object({
    habit_id: Id,
    ...habitArguments,
    clear: Type.Optional(
      Type.Array(OneOf(cleared), { uniqueItems: true, expects: `a list of some of ${cleared.join(", ")}` }),
    ),
  }),
  refine: ({ habit_id: _, ...change }) => checkOneCategory(change) ?? checkChanges("set", change),
  toInput: ({ schedule, frequency, ...change }) => ({
    ...clearing(change),
    ...(schedule && { schedule, frequency: frequencyOf({ schedule }) }),
    ...(frequency && { frequency }),
  }),
  facts: OneHabitFacts,
  result: changedHabit,
});

export const deletingHabit = form({
  command: "habit.delete",
  by: "delete",
  arguments: Type.Object({ habit_id: Id, delete: Flag }),
  toInput: ({ habit_id }) => ({ habit_id }),
  facts: DeletedHabitFacts,
  result: deletedHabit,
});
