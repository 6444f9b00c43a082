import { habitFields } from "../../../shared/contracts/habit/fields.ts";
import { newStreak } from "../../../shared/domain/habit/streak.ts";
import { isRefused } from "../../../shared/errors.ts";
import { categoriesToLock, categoryRows, chosenCategory } from "../category/chosen.ts";
import { newColumns } from "../columns.ts";
import type { Handler } from "../handler.ts";
import { habitAnswer, streakColumns } from "./rows.ts";
import { checkSchedule } from "./rules.ts";

export const habitCreate: Handler<"habit.create"> = {
  stores: "more",
  makes: "habits",
  rows: categoryRows,
  related: (loaded, input) => ({ rows: categoriesToLock(loaded, input) }),
  run(context, input) {
    const category = chosenCategory(context, input);
    if (isRefused(category)) return category;
    const refused = checkSchedule(input.frequency, input.schedule) ?? context.useQuota("habits");
    if (refused) return refused;
    const columns = newColumns(habitFields, { ...input, ...category });
    const row = context.habits.insert({
      id: context.nextId("habits"),
      ...columns,
      completions_count: 0,
      ...streakColumns(newStreak(), columns),
      former_category_id: null,
      created_at: context.now,
      updated_at: context.now,
    });
    return habitAnswer(context, row);
  },
};
