import type { ReminderRow } from "../../../shared/db/entities.ts";
import type { StepContext, Steps } from "../steps.ts";
import { countHabitReminders, moveHabitReminders } from "./move-habit-reminders.ts";
import { instantInZone } from "./zone-change.ts";

const rowsAtOnce = 1_000;

const followsZone = `r.user_id = $1 and r.todo_id > $2::bigint and r.wall_time is not null
  and r.status in ('scheduled', 'suspended')`;

const next = `
  select r.todo_id, r.remind_at, r.wall_time from reminders r
  where ${followsZone} order by r.todo_id limit ${rowsAtOnce} for update`;

/** Looks a time up by id. A join with the times, planned without statistics, could compare each with every row. */
const movedTo = "($3::jsonb ->> r.todo_id::text)::timestamptz";

/** A reminder that moves to a time ahead rings then, even if the old time is being delivered. */
const move = `
  update reminders r set remind_at = ${movedTo}, updated_at = now(),
    delivery_id = case when ${movedTo} > now() then null else r.delivery_id end
  where r.user_id = $1 and r.todo_id = any ($2::bigint[]) and r.remind_at <> ${movedTo}`;

const first = "0";
/** A cursor among the habits, which come after the todos. */
const ofHabit = "habit ";

/** Moves wall-clock reminders of todos, then of habits, to the present zone and start of day of their user. */
export const moveReminders: Steps = {
  async part(context) {
    const { cursor } = context;
    if (cursor?.startsWith(ofHabit)) return moveHabits(context, cursor.slice(ofHabit.length));
    const moved = await moveTodos(context, cursor ?? first);
    if (moved.cursor !== null) return moved;
    const { done, ...rest } = await moveHabits(context, first);
    return { done: moved.done + done, ...rest };
  },
  async left(context) {
    const cursor = context.cursor ?? first;
    if (cursor.startsWith(ofHabit)) return countHabitReminders(context, cursor.slice(ofHabit.length));
    const { connection, userId } = context;
    const count = `select count(*)::int as count from reminders r where ${followsZone}`;
    const { rows } = await connection.query<{ count: number }>(count, [userId, cursor]);
    return (rows[0]?.count ?? 0) + (await countHabitReminders(context, first));
  },
};

type MovedRow = Pick<ReminderRow, "todo_id" | "remind_at"> & { wall_time: string };

async function moveTodos(context: StepContext, after: string) {
  const { connection, userId } = context;
  const { timeZone } = await dayRulesOf(context);
  const { rows } = await connection.query<MovedRow>(next, [userId, after]);
  // Work of an earlier release does not have the previous zone.
  const { from } = context.input as { from?: string };
  const instantOf = (row: MovedRow) => new Date(instantInZone(row, { from, to: timeZone })).toISOString();
  const instants = Object.fromEntries(rows.map((row) => [row.todo_id, instantOf(row)]));
  await connection.query(move, [userId, Object.keys(instants), JSON.stringify(instants)]);
  const last = rows.length < rowsAtOnce ? undefined : rows.at(-1);
  return { done: rows.length, cursor: last ? String(last.todo_id) : null };
}

async function moveHabits(context: StepContext, after: string) {
  const { done, last } = await moveHabitReminders(context, after, await dayRulesOf(context));
  return { done, cursor: last === undefined ? null : `${ofHabit}${last}` };
}

/** Only a slow command changes the settings, and none runs between the steps. */
async function dayRulesOf({ connection, userId }: StepContext) {
  const { rows } = await connection.query<{ time_zone: string; day_start_hour: number }>(
    "select time_zone, day_start_hour from users where user_id = $1",
    [userId],
  );
  return { timeZone: rows[0]?.time_zone ?? "UTC", dayStartHour: rows[0]?.day_start_hour ?? 0 };
}
