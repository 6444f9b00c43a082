import { SQL } from "bun";

/** Every user has this many habits, and at least as many todos; ids count on through the users. */
export const perUser = 20;
const firstUser = 1_000_000;

/** Habits were done on each day of three years, until the day before yesterday, which is past in every zone. */
const daysDone = 1_094;

export const userAt = (index: number): string => String(firstUser + index);
/** The id of a user's nth habit; of the nth todo, if `ofEach` is the number of todos of each user. */
export const idAt = (userIndex: number, nth: number, ofEach = perUser): number =>
  userIndex * ofEach + nth + 1;

/** Fills an empty database: people in several zones, habits and todos with categories, some todos done. */
export async function seed(url: string, users: number, todosPerUser = perUser): Promise<void> {
  await using sql = new SQL(url, { max: 1 });
  // Foreign keys are not checked, which would take half of the time.
  await sql`set session_replication_role = replica`;
  await sql`
    insert into users (user_id, time_zone, zone_source, zone_claimed_at, day_start_hour, created_at, updated_at)
    select (${firstUser} + u)::text, (array['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Tokyo'])[1 + u % 4],
      'chosen', null, 0, now(), now()
    from generate_series(0, ${users - 1}::int) u`;
  await sql`
    insert into categories (user_id, id, name, color, icon, created_at, updated_at)
    select (${firstUser} + u)::text, u * 3 + n + 1, (array['Health', 'Work', 'Home'])[n + 1], '#6b7280', null, now(), now()
    from generate_series(0, ${users - 1}::int) u, generate_series(0, 2) n`;
  await sql`
    insert into habits (user_id, id, name, type, frequency, schedule, time_of_day, category_id, description, grace_days,
      completions_count, done_from, done_days, streak, streak_alive_through, longest_streak, next_due, recent_dates,
      created_at, updated_at)
    select (${firstUser} + u)::text, u * ${perUser} + n + 1, 'Walk for half an hour, round ' || n, 'good', 'daily', null,
      (array['morning', 'afternoon', 'evening', null])[1 + n % 4]::time_of_day, u * 3 + n % 3 + 1,
      'Outside, whatever the weather', 1, ${daysDone}, current_date - ${daysDone + 1}::int,
      repeat('1', ${daysDone}::int)::varbit, 0, null, 0, null, '{}', now(), now()
    from generate_series(0, ${users - 1}::int) u, generate_series(0, ${perUser - 1}::int) n`;
  await sql`
    insert into todos (user_id, id, title, description, due_date, time_of_day, estimated_minutes, context, category_id,
      is_completed, completed_at, completed_on, recurrence, recurrence_from, recurrence_anchor, next_todo_id, created_at, updated_at)
    select (${firstUser} + u)::text, u * ${todosPerUser}::int + n + 1, 'Answer the letter of the landlord, no. ' || n,
      'Ask about the heating and the lease', current_date + n % 9 - 2,
      (array['morning', 'afternoon', 'evening', null])[1 + n % 4]::time_of_day, 15, 'desk', u * 3 + n % 3 + 1,
      n % 5 = 0, case when n % 5 = 0 then now() end, case when n % 5 = 0 then current_date end,
      null, 'due', null, null, now(), now()
    from generate_series(0, ${users - 1}::int) u, generate_series(0, ${todosPerUser - 1}::int) n`;
  for (const table of ["categories", "habits", "todos"]) {
    await sql`select setval(${`${table}_id_seq`}::regclass, ${users * Math.max(perUser, todosPerUser) + 1}::bigint)`;
  }
  await sql`vacuum analyze`;
}
