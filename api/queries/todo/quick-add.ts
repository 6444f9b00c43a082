import { type QueryHandler, readDaySettings } from "../engine/context.ts";
import { readQuickAdd } from "../quick-add/quick-add.ts";

export const readLineInWords: QueryHandler<"quick-add.get"> = async (query, { line }) => {
  const { timeZone, today } = await readDaySettings(query);
  const quick = readQuickAdd(line, { now: query.now, timeZone, today: today.date });
  const { alternatives, category } = quick;
  const common = { today: today.date, time_zone: timeZone, category, alternatives: [...alternatives] };
  if (quick.kind === "habit") {
    const { kind: _, alternatives: __, category: ___, ...habit } = quick;
    return { ...common, todo: null, habit, remind_at: null };
  }
  const { kind: _, alternatives: __, category: ___, remind_at, ...todo } = quick;
  return { ...common, todo, habit: null, remind_at };
};
