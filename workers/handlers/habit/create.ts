import type { HabitRow } from "../../../shared/db/entities.ts";
import { presentHabit } from "../../../shared/db/present.ts";
import type { Rules } from "../../../shared/domain/schedule.ts";
import {
  complete as completeDay,
  editRules,
  newStreak,
  type StreakState,
  undo as undoDay,
  view,
} from "../../../shared/domain/streak.ts";
import { conflict, invalid, notFound } from "../../../shared/errors.ts";
import { lock, share } from "../../unit-of-work/load.ts";
import { unknownCategory } from "../check-category.ts";
import { noRoom } from "../check-quota.ts";
import type { Context, Handler } from "../handler.ts";
import { patch } from "../patch.ts";

const defaultGraceDays = 1;

export const create: Handler<"habit.create"> = {
  makes: "habits",
  needs: ({ category_id }) => share("categories", category_id),
  run(context, input) {
    const refused =
      unknownCategory(context, input.category_id) ??
      misplacedSchedule(input.frequency, input.schedule) ??
      noRoom(context, "habits");
    if (refused) return refused;
    const grace_days = input.grace_days ?? defaultGraceDays;
    const schedule = input.schedule ?? null;
    const rules: Rules = { frequency: input.frequency, schedule, grace_days };
    const row = context.habits.insert({
      id: context.nextId("habits"),
      name: input.name,
      type: input.type,
      frequency: input.frequency,
      schedule,
      time_of_day: input.time_of_day ?? null,
      category_id: input.category_id ?? null,
      description: input.description ?? null,
      grace_days,
      completions_count: 0,
      ...streakColumns(newStreak(), rules),
      created_at: context.now,
      updated_at: context.now,
    });
    return present(context, row);
  },
};

export const update: Handler<"habit.update"> = {
  needs: ({ habit_id, category_id }) => [lock("habits", habit_id), ...share("categories", category_id)],
  run(context, { habit_id, ...input }) {
    const row = context.habits.get(habit_id);
    const frequency = input.frequency ?? row?.frequency;
    const refused =
      unknownCategory(context, input.category_id) ?? misplacedSchedule(frequency, input.schedule);
    if (refused) return refused;
    if (!row) return notFound("Habit");
    const before = rulesOf(row);
    const rules = editedRules(before, input);
    const streak = editRules(row.streak_state, before, rules, context.today.date);
    const changed = { ...patch(input), ...rules, ...streakColumns(streak, rules), updated_at: context.now };
    return present(context, context.habits.update(row, changed));
  },
};

export const remove: Handler<"habit.delete"> = {
  needs: ({ habit_id }) => [lock("habits", habit_id)],
  run({ habits }, { habit_id }) {
    if (!habits.get(habit_id)) return notFound("Habit");
    habits.remove(habit_id);
    return null;
  },
};

export const complete: Handler<"habit.complete"> = {
  needs: ({ habit_id }) => [lock("habits", habit_id)],
  run(context, { habit_id }) {
    const row = context.habits.get(habit_id);
    if (!row) return notFound("Habit");
    const { date } = context.today;
    const rules = rulesOf(row);
    const streak = completeDay(row.streak_state, rules, date);
    if (streak === "already_completed") return conflict("Habit is already completed today.");
    context.completions.insert({ habit_id, local_date: date, completed_at: context.now });
    return present(context, writeStreak(context, row, streak, row.completions_count + 1));
  },
};

export const undo: Handler<"habit.undo"> = {
  needs: ({ habit_id }) => [lock("habits", habit_id)],
  run(context, { habit_id }) {
    const row = context.habits.get(habit_id);
    if (!row) return notFound("Habit");
    const { date } = context.today;
    const streak = undoDay(row.streak_state, rulesOf(row), date);
    if (streak === "not_completed") return conflict("Habit is not completed today.");
    context.completions.remove(habit_id, date);
    return present(context, writeStreak(context, row, streak, row.completions_count - 1));
  },
};

export const rulesOf = ({ frequency, schedule, grace_days }: HabitRow): Rules => ({
  frequency,
  schedule: schedule ?? null,
  grace_days,
});

/** The streak as the columns that reads compare with today. */
export function streakColumns(state: StreakState, rules: Rules) {
  const { streak_count, longest_streak, alive_through, next_due, recent_dates } = view(state, rules);
  return {
    streak: streak_count,
    streak_alive_through: alive_through,
    longest_streak,
    next_due,
    recent_dates,
    streak_state: state,
  };
}

function writeStreak(
  { habits, now }: Context,
  row: HabitRow,
  state: StreakState,
  completions_count: number,
): HabitRow {
  return habits.update(row, { ...streakColumns(state, rulesOf(row)), completions_count, updated_at: now });
}

function present({ categories, today }: Context, row: HabitRow) {
  return presentHabit(row, row.category_id == null ? undefined : categories.get(row.category_id), today);
}

type RuleFields = {
  frequency?: Rules["frequency"];
  schedule?: Rules["schedule"];
  grace_days?: number | null;
};

/** A change of frequency drops a schedule that the request does not name; null means the default. */
function editedRules(before: Rules, { frequency, schedule, grace_days }: RuleFields): Rules {
  const changedFrequency = frequency !== undefined && frequency !== before.frequency;
  return {
    frequency: frequency ?? before.frequency,
    schedule: schedule !== undefined ? schedule : changedFrequency ? null : before.schedule,
    grace_days: grace_days === undefined ? before.grace_days : (grace_days ?? defaultGraceDays),
  };
}

function misplacedSchedule(frequency: string | undefined, schedule: object | null | undefined) {
  if (schedule == null || frequency === undefined || frequency === "custom") return undefined;
  return invalid({ schedule: ["The schedule field can only be given with the frequency custom."] });
}
