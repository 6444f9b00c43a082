import type { Rules } from "../../../shared/domain/schedule.ts";
import { editRules } from "../../../shared/domain/streak.ts";
import { isRefused, notFound } from "../../../shared/errors.ts";
import { categoryRows, chosenCategory } from "../category/chosen.ts";
import type { Handler } from "../handler.ts";
import { patch } from "../patch.ts";
import { currentHabit, habitAnswer, lockHabit, relatedToHabit, streakColumns } from "./rows.ts";
import { checkSchedule, defaultGraceDays, rulesOf } from "./rules.ts";

export const habitUpdate: Handler<"habit.update"> = {
  stores: "more",
  rows: (input) => [...lockHabit(input), ...categoryRows(input)],
  related: relatedToHabit,
  current: currentHabit,
  run(context, { habit_id, ...input }) {
    const row = context.habits.get(habit_id);
    const frequency = input.frequency ?? row?.frequency;
    const category = chosenCategory(context, input);
    if (isRefused(category)) return category;
    const refused = checkSchedule(frequency, input.schedule);
    if (refused) return refused;
    if (!row) return notFound("Habit");
    const before = rulesOf(row);
    const rules = editedRules(before, input);
    const streak = editRules(row.streak_state, before, rules, context.today.date);
    const changed = { ...patch(input), ...rules, ...streakColumns(streak, rules), updated_at: context.now };
    return habitAnswer(context, context.habits.update(row, changed));
  },
};

type RuleFields = {
  frequency?: Rules["frequency"];
  schedule?: Rules["schedule"];
  grace_days?: number | null;
};

/** Another frequency drops a schedule that the request does not name. Null stands for the default. */
function editedRules(before: Rules, { frequency, schedule, grace_days }: RuleFields): Rules {
  const changedFrequency = frequency !== undefined && frequency !== before.frequency;
  return {
    frequency: frequency ?? before.frequency,
    schedule: schedule !== undefined ? schedule : changedFrequency ? null : before.schedule,
    grace_days: grace_days === undefined ? before.grace_days : (grace_days ?? defaultGraceDays),
  };
}
