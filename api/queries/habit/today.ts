import { allOf, type QueryHandler, readDaySettings } from "../engine/context.ts";
import { dueOn, ofKind } from "./read.ts";
import { readHabitsInWeek } from "./week.ts";

/** Answers with one page, which shows all that anybody has who is not testing the limits. */
const mostShown = 100;

export const readTodayHabits: QueryHandler<"habit.today"> = async (query, { all = false, ...filters }) => {
  const { today } = await readDaySettings(query);
  const where = allOf(ofKind(filters), ...(all ? [] : [dueOn(today.date)]));
  const { habits, total } = await readHabitsInWeek(query, today, { where, limit: mostShown });
  const shown = habits.map(({ habit, isDue, doneDays, target }) => ({
    ...habit,
    ...(all && { is_due_today: isDue }),
    week_progress: target === undefined ? null : { done: doneDays.length, target },
  }));
  return { today: today.date, time_zone: today.timeZone, habits: shown, total };
};
