import type { ReminderRow } from "../../../shared/db/entities.ts";
import { resolveLocalTime } from "../../../shared/domain/day/day.ts";
import type { StepContext, Steps } from "../steps.ts";

const rowsAtOnce = 1_000;

const followsZone = `r.user_id = $1 and r.todo_id > $2::bigint and r.wall_time is not null
  and r.status in ('scheduled', 'suspended')`;

const next = `
  select r.todo_id, r.wall_time from reminders r
  where ${followsZone} order by r.todo_id limit ${rowsAtOnce} for update`;

/** A reminder moved to a time still ahead rings then, even if the old time is just being delivered. */
const move = `
  update reminders r set remind_at = v.remind_at, updated_at = now(),
    delivery_id = case when v.remind_at > now() then null else r.delivery_id end
  from json_to_recordset($2) v(todo_id bigint, remind_at timestamptz)
  where r.user_id = $1 and r.todo_id = v.todo_id and r.remind_at <> v.remind_at`;

const first = "0";

/** Moves wall-clock reminders to the present zone of their user. */
export const moveReminders: Steps = {
  async step(context) {
    const { connection, userId, cursor } = context;
    const timeZone = await zoneOf(context);
    const { rows } = await connection.query<MovedRow>(next, [userId, cursor ?? first]);
    const moved = rows.map(({ todo_id, wall_time }) => {
      const instant = resolveLocalTime(wall_time.replace(" ", "T"), timeZone);
      return { todo_id, remind_at: new Date(instant).toISOString() };
    });
    await connection.query(move, [userId, JSON.stringify(moved)]);
    const last = rows.length < rowsAtOnce ? undefined : rows.at(-1);
    return { done: rows.length, cursor: last ? String(last.todo_id) : null };
  },
  async left({ connection, userId, cursor }) {
    const count = `select count(*)::int as count from reminders r where ${followsZone}`;
    const { rows } = await connection.query<{ count: number }>(count, [userId, cursor]);
    return rows[0]?.count ?? 0;
  },
};

type MovedRow = Pick<ReminderRow, "todo_id"> & { wall_time: string };

/** Only a slow command changes it, and none runs between the steps. */
async function zoneOf({ connection, userId }: StepContext): Promise<string> {
  const { rows } = await connection.query<{ time_zone: string }>(
    "select time_zone from users where user_id = $1",
    [userId],
  );
  return rows[0]?.time_zone ?? "UTC";
}
