import { SQL } from "bun";
import { dayNumber } from "../../shared/domain/day/day.ts";
import { doneColumns, noHistory } from "../../shared/domain/habit/history.ts";
import { streakColumns } from "../../shared/domain/habit/streak.ts";

const rules = { frequency: "daily", schedule: null, grace_days: 1 } as const;

/** 30 habits with a year of completions each, 1,000 pending todos around today and without a date, and 1,000 done ones. */
export async function fillUser(databaseUrl: string, userId: string, today: string): Promise<void> {
  await using sql = new SQL(databaseUrl, { max: 1 });
  const days = Array.from({ length: 365 }, (_, ago) => dayNumber(today) - 1 - ago);
  const history = { ...noHistory, ...rules, ...doneColumns(days) };
  const { streak, streak_alive_through, longest_streak, next_due, recent_dates } = streakColumns(
    history,
    today,
  );
  await sql.unsafe(
    `insert into categories (user_id, id, name, color, created_at, updated_at)
     select $1, 9000000 + n, 'Category ' || n, '#1971c2', now(), now() from generate_series(1, 10) n`,
    [userId],
  );
  await sql.unsafe(
    `insert into habits (user_id, id, name, type, frequency, time_of_day, category_id, grace_days, completions_count,
       streak, streak_alive_through, longest_streak, next_due, recent_dates, done_from, done_days,
       created_at, updated_at)
     select $1, 9000000 + n, 'Habit ' || n, 'good', 'daily',
       (array['morning', 'afternoon', 'evening', null])[1 + n % 4]::time_of_day, 9000001 + n % 10, 1, 365,
       $2, $3, $4, $5, $6, $7, $8, now() - interval '1 year', now()
     from generate_series(1, 30) n`,
    [
      ...[userId, streak, streak_alive_through, longest_streak, next_due],
      ...[`{${recent_dates.join(",")}}`, history.done_from, history.done_days],
    ],
  );
  await sql.unsafe(
    `insert into habit_completions (user_id, habit_id, local_date, completed_at)
     select $1, 9000000 + n, $2::date - ago, now() from generate_series(1, 30) n, generate_series(1, 365) ago`,
    [userId, today],
  );
  await sql.unsafe(
    `insert into todos (user_id, id, title, description, due_date, estimated_minutes, context, category_id, is_completed,
       completed_at, completed_on, recurrence, recurrence_from, created_at, updated_at)
     select $1, 9000000 + n, 'Todo ' || n, 'Ask about the heating and the lease',
       case when n % 10 > 0 then $2::date + n / 2 % 300 - 20 end, 15, 'desk', 9000001 + n % 10, n > 1000,
       case when n > 1000 then now() - n * interval '1 hour' end, case when n > 1000 then $2::date - n / 24 end,
       case when n % 7 = 0 then 'FREQ=WEEKLY;BYDAY=MO' end, 'due', now(), now()
     from generate_series(1, 2000) n`,
    [userId, today],
  );
  await sql.unsafe("analyze habits, habit_completions, todos, categories");
}
