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

/** A reminder that moves to a time ahead rings then, even if the old time is being delivered. */
const move = `
  update reminders r set remind_at = v.remind_at, updated_at = now(),
    delivery_id = case when v.remind_at > now() then null else r.delivery_id end
  from json_to_recordset($2) v(todo_id bigint, remind_at timestamptz)
  where r.user_id = $1 and r.todo_id = v.todo_id and r.remind_at <> v.remind_at`;

const first = "0";
/** A cursor among the habits, which come after the todos. */
const ofHabit = "habit ";

/** Moves wall-clock reminders of todos, then of habits, to the present zone and start of day of their user. */
export const moveReminders: Steps = {
  async step(context) {
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
  const moved = rows.map((row) => {
    const instant = instantInZone(row, { from, to: timeZone });
    return { todo_id: row.todo_id, remind_at: new Date(instant).toISOString() };
  });
  await connection.query(move, [userId, JSON.stringify(moved)]);
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
