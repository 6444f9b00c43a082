import type { HabitRow } from "../../../shared/db/entities.ts";
import { dueRing } from "../../handlers/habit/next-ring.ts";
import { now } from "../store.ts";
import type { TakenDeliveries } from "./due.ts";
import { type PlannedStore, takePlanned } from "./due-planned.ts";
import { postDue } from "./post-due.ts";

const isDue = `h.rings_at <= ${now}`;
const anyDue = `select from habits h where ${isDue} limit 1`;

const lockDue = `
  select h.*, u.time_zone, u.day_start_hour, floor(extract(epoch from ${now}) * 1000)::float8 as now
  from habits h
  left join users u on u.user_id = h.user_id
  where ${isDue}
  order by h.rings_at
  limit $2
  for update of h skip locked`;

type DueHabit = HabitRow & { time_zone: string | null; day_start_hour: number | null; now: number };

/** Plans the next rings and writes the deliveries of those that ring now. */
const takeDue = `
  with planned as materialized (
    select p.*, gen_random_uuid() as delivery_id
    from json_to_recordset($2) p(user_id text, id bigint, due_at timestamptz, rings_at timestamptz, day date, missed boolean)
  ), marked as (
    update habits h
    set rings_at = p.rings_at, rang_on = coalesce(p.day, h.rang_on),
      delivery_id = case when p.day is null then h.delivery_id when not p.missed then p.delivery_id end
    from planned p
    where h.user_id = p.user_id and h.id = p.id
  ), written as (
    insert into reminder_deliveries
      (user_id, id, habit_id, status, attempts, late, scheduled_at, next_attempt_at, created_at, finished_at)
    select user_id, delivery_id, id, case when missed then 'missed' else 'queued' end, 0, missed,
      due_at, ${now} + $3::interval, ${now}, case when missed then ${now} end
    from planned
    where day is not null
    returning user_id, id, habit_id, status
  ), posted as (${postDue("due_habit", "habit_id")})
  select coalesce(array_agg(user_id), '{}') as users, coalesce(array_agg(id::text), '{}') as ids
  from written
  where status = 'queued'`;

/** Each habit is checked again: if its user's journey has moved the ring, it only gets the next time. */
export const takeDueHabits = (store: PlannedStore, limit: number): Promise<TakenDeliveries> =>
  takePlanned(store, { anyDue, lockDue, takeDue, plan, postponed }, limit);

function plan({ defaultTimeZone }: PlannedStore, habit: DueHabit) {
  const { user_id, id, rings_at: due_at, time_zone, day_start_hour, now } = habit;
  const rules = { timeZone: time_zone ?? defaultTimeZone, dayStartHour: day_start_hour ?? 0 };
  const { day, isMissed: missed, rings_at } = dueRing(habit, rules, now);
  return { user_id, id, due_at, rings_at, day, missed };
}

const postponed = ({ user_id, id, rings_at: due_at }: DueHabit, rings_at: string) => ({
  user_id,
  id,
  due_at,
  rings_at,
});
