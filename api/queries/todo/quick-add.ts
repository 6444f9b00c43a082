import { type QueryHandler, readDaySettings } from "../engine/context.ts";
import { readQuickAdd } from "../quick-add/quick-add.ts";

export const readLineInWords: QueryHandler<"quick-add.get"> = async (query, { line }) => {
  const { timeZone, today } = await readDaySettings(query);
  const { kind, category, ...said } = readQuickAdd(line, { now: query.now, timeZone, today: today.date });
  const day = { today: today.date, time_zone: timeZone };
  if (!("title" in said)) return { ...day, todo: null, habit: said, category, remind_at: null };
  const { remind_at, ...todo } = said;
  return { ...day, todo, habit: null, category, remind_at };
};
