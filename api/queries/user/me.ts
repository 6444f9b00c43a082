import { readOwnRules } from "../approval/rules.ts";
import { type QueryHandler, readDaySettings } from "../engine/context.ts";

export const readMe: QueryHandler<"me.get"> = async (query) => {
  const { timeZone, dayStartHour, today } = await readDaySettings(query);
  const { scopes, clientName, allowance } = query.token;
  return {
    today: today.date,
    time_zone: timeZone,
    day_start_hour: dayStartHour,
    reminders_reach: today.reaches,
    scopes: [...scopes],
    client_name: clientName,
    rules: await readOwnRules(query, today.date),
    rate_limit: allowance
      ? { limit: allowance.limit, remaining: allowance.remaining, reset: allowance.resetsAt }
      : null,
  };
};
