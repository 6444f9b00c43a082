import type { HabitRow } from "../../../shared/db/entities.ts";
import { type DayRules, ringsAfterChange } from "../habit/next-ring.ts";
import type { StepContext } from "../steps.ts";

const rowsAtOnce = 100;

const reminding = "h.user_id = $1 and h.id > $2::bigint and h.remind_at is not null";

const next = `select h.* from habits h where ${reminding} order by h.id limit ${rowsAtOnce} for update`;

const move = `
  update habits h set rings_at = ($3::jsonb ->> h.id::text)::timestamptz
  where h.user_id = $1 and h.id = any ($2::bigint[])`;

/** @param input the time of the change of zone (epoch ms), in a work of this release */
const timeOf = ({ input }: StepContext): number => (input as { at?: number }).at ?? Date.now();

/**
 * Moves the next rings of habits after an id to the present zone and start of day.
 * @returns how many there were, and the last id unless no habit is left
 */
export async function moveHabitReminders(context: StepContext, after: string, rules: DayRules) {
  const { connection, userId } = context;
  const { rows } = await connection.query<HabitRow>(next, [userId, after]);
  const ringOf = (row: HabitRow) => ringsAfterChange(row, row, rules, timeOf(context)).rings_at;
  const rings = Object.fromEntries(rows.map((row) => [row.id, ringOf(row)]));
  if (rows.length > 0) await connection.query(move, [userId, Object.keys(rings), JSON.stringify(rings)]);
  return { done: rows.length, last: rows.length < rowsAtOnce ? undefined : rows.at(-1)?.id };
}

export async function countHabitReminders({ connection, userId }: StepContext, after: string) {
  const count = `select count(*)::int as count from habits h where ${reminding}`;
  const { rows } = await connection.query<{ count: number }>(count, [userId, after]);
  return rows[0]?.count ?? 0;
}
