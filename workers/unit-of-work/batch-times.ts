import type { PoolClient } from "pg";
import type { UserRow } from "../../shared/db/entities.ts";

/** What the day of a user depends on. */
export type DaySettings = Pick<UserRow, "time_zone" | "day_start_hour">;

/** What the users of a transaction have in common with time. */
export type BatchTimes = Readonly<{
  /** The transaction's time, with microseconds. */
  now: string;
  /** The same clock after BEGIN, in epoch ms: PostgreSQL's, so that no host's clock decides what is late. */
  at: number;
  /** Of those users who have settings. */
  ofUsers: ReadonlyMap<string, DaySettings>;
  /** Users whose account is gone: nothing is written for them any more. */
  deleted: ReadonlySet<string>;
}>;

const statement = `
  select now() as now, (extract(epoch from clock_timestamp()) * 1000)::float8 as at, v.user_id,
    u.time_zone, u.day_start_hour, d.id is not null as deleted
  from unnest($1::text[]) v(user_id)
  left join lateral (select * from users u where u.user_id = v.user_id offset 0) u on true
  left join lateral (select id from deleted_users d where d.id = v.user_id offset 0) d on true`;

type Row = {
  now: string;
  at: number;
  user_id: string;
  time_zone: string | null;
  day_start_hour: number | null;
  deleted: boolean;
};

/** What every command wants to know, in one statement: two took a twentieth more of a transaction's time. */
export async function readTimes(client: PoolClient, userIds: ReadonlySet<string>): Promise<BatchTimes> {
  const { rows } = await client.query<Row>(statement, [[...userIds]]);
  const ofUsers = new Map<string, DaySettings>();
  for (const { user_id, time_zone, day_start_hour } of rows)
    if (time_zone !== null && day_start_hour !== null) ofUsers.set(user_id, { time_zone, day_start_hour });
  const deleted = new Set(rows.flatMap(({ user_id, deleted }) => (deleted ? [user_id] : [])));
  return { now: rows[0]?.now ?? "", at: rows[0]?.at ?? 0, ofUsers, deleted };
}
