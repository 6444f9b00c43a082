import type { Rules } from "../../../shared/domain/schedule.ts";
import { newStreak } from "../../../shared/domain/streak.ts";
import { isRefused } from "../../../shared/errors.ts";
import { categoriesToLock, categoryRows, chosenCategory } from "../category/chosen.ts";
import { checkQuota } from "../check-quota.ts";
import type { Handler } from "../handler.ts";
import { habitAnswer, streakColumns } from "./rows.ts";
import { checkSchedule, defaultGraceDays } from "./rules.ts";

export const habitCreate: Handler<"habit.create"> = {
  stores: "more",
  makes: "habits",
  rows: categoryRows,
  related: (loaded, input) => ({ rows: categoriesToLock(loaded, input) }),
  run(context, input) {
    const category = chosenCategory(context, input);
    if (isRefused(category)) return category;
    const refused = checkSchedule(input.frequency, input.schedule) ?? checkQuota(context, "habits");
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
      category_id: category.category_id ?? null,
      description: input.description ?? null,
      grace_days,
      completions_count: 0,
      ...streakColumns(newStreak(), rules),
      created_at: context.now,
      updated_at: context.now,
    });
    return habitAnswer(context, row);
  },
};
