import { mostCompletionDays } from "../../../shared/contracts/habit/completions.ts";
import { timestamp } from "../../../shared/domain/day/timestamp.ts";
import { notFound } from "../../../shared/errors.ts";
import { type QueryHandler, readDaySettings } from "../engine/context.ts";
import { literal, sql } from "../engine/sql.ts";

type CompletionColumns = { local_date: string | null; completed_at: string };

/** A missing end defaults to the longest period from the other end; without both, the period ends today. */
export const readCompletions: QueryHandler<"habit.completions"> = async (query, { habit_id, ...period }) => {
  const { own, rows } = query;
  const from = period.from ?? null;
  const to = period.to ?? (from === null ? (await readDaySettings(query)).today.date : null);
  const further = literal(mostCompletionDays - 1);
  const found = await rows(sql<CompletionColumns>`
    select c.local_date, c.completed_at from ${own("habits")} h
    left join ${own("habit_completions")} c on c.habit_id = h.id
      and c.local_date between coalesce(${from}::date, ${to}::date - ${further})
      and coalesce(${to}::date, ${from}::date + ${further})
    where h.id = ${habit_id}::bigint
    order by c.local_date desc`);
  if (found.length === 0) return notFound("Habit");
  const data = found.flatMap(({ local_date: date, completed_at }) =>
    date === null ? [] : [{ date, completed_at: timestamp(completed_at) }],
  );
  return { data };
};
