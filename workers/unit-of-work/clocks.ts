import type { PoolClient } from "pg";
import type { UserRow } from "../../shared/db/entities.ts";

/** What the day of a user depends on. */
export type Clock = Pick<UserRow, "time_zone" | "day_start_hour">;

/** The transaction's time, and the clocks of those of the users who have settings. */
export type Clocks = Readonly<{ now: string; ofUsers: ReadonlyMap<string, Clock> }>;

const statement = `
  select now() as now, v.user_id, u.time_zone, u.day_start_hour
  from unnest($1::text[]) v(user_id)
  left join lateral (select * from users u where u.user_id = v.user_id offset 0) u on true`;

type Row = { now: string; user_id: string; time_zone: string | null; day_start_hour: number | null };

/** What every command wants to know, in one statement: two took a twentieth more of a transaction's time. */
export async function readClocks(client: PoolClient, userIds: ReadonlySet<string>): Promise<Clocks> {
  const { rows } = await client.query<Row>(statement, [[...userIds]]);
  const ofUsers = new Map<string, Clock>();
  for (const { user_id, time_zone, day_start_hour } of rows)
    if (time_zone !== null && day_start_hour !== null) ofUsers.set(user_id, { time_zone, day_start_hour });
  return { now: rows[0]?.now ?? "", ofUsers };
}
