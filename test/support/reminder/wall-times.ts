import type { SQL } from "bun";
import { resolveLocalTime } from "../../../shared/domain/day/day.ts";

const first = Date.parse("2030-03-01T00:30Z");

/**
 * Stores reminders of the todos 1 to `count` of a user in Berlin, as Kept stores them. Their wall times are 97 minutes
 * apart, so some lie around the changes to and from summer time. Every third may be suspended.
 */
export async function storeWallTimes(
  sql: SQL,
  userId: string,
  { count, suspends = false }: Readonly<{ count: number; suspends?: boolean }>,
): Promise<void> {
  const rows = Array.from({ length: count }, (_, index) => {
    const wall = new Date(first + (index + 1) * 97 * 60_000).toISOString().slice(0, 19);
    const status = suspends && index % 3 === 2 ? "suspended" : "scheduled";
    return {
      n: index + 1,
      wall,
      at: new Date(resolveLocalTime(wall, "Europe/Berlin")).toISOString(),
      status,
    };
  });
  await sql`
    insert into reminders (user_id, todo_id, remind_at, wall_time, status, created_at, updated_at)
    select ${userId}, n, at, wall, status, now(), now()
    from jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb)
      m(n bigint, wall timestamp, at timestamptz, status text)`;
}
