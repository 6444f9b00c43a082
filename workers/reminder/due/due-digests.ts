import type { UserRow } from "../../../shared/db/entities.ts";
import { localDay, timestamp } from "../../../shared/domain/day/day.ts";
import { keyedId } from "../../../shared/queue/command-id.ts";
import { nextDigest } from "../../handlers/user.ts";
import { now } from "../store.ts";
import type { TakenDeliveries } from "./due.ts";
import { type PlannedStore, takePlanned } from "./due-planned.ts";

const isDue = `u.digest_at <= ${now}`;
const anyDue = `select from users u where ${isDue} limit 1`;

const lockDue = `
  select u.user_id, u.digest, u.digest_at, u.time_zone, floor(extract(epoch from ${now}) * 1000)::float8 as now
  from users u
  where ${isDue}
  order by u.digest_at
  limit $2
  for update skip locked`;

/** A day has one digest, by its id, also after a journey. The lease finds what is missed or has nothing to tell. */
const takeDue = `
  with planned as materialized (
    select p.* from json_to_recordset($2) p(user_id text, id uuid, due_at timestamptz, digest_at timestamptz)
  ), moved as (
    update users u set digest_at = p.digest_at from planned p where u.user_id = p.user_id
  ), written as (
    insert into reminder_deliveries
      (user_id, id, about, status, attempts, late, scheduled_at, next_attempt_at, created_at)
    select user_id, id, 'digest', 'queued', 0, false, due_at, ${now} + $3::interval, ${now} from planned
    where id is not null
    on conflict (user_id, id) do nothing
    returning user_id, id
  )
  select coalesce(array_agg(user_id), '{}') as users, coalesce(array_agg(id::text), '{}') as ids from written`;

type DueUser = Pick<UserRow, "user_id" | "digest" | "time_zone"> & { digest_at: string; now: number };

export const takeDueDigests = (store: PlannedStore, limit: number): Promise<TakenDeliveries> =>
  takePlanned(store, { anyDue, lockDue, takeDue, plan, postponed }, limit);

const dayMs = 86_400_000;

/** After a restore, a digest may be postponed to its next time. After a long absence, the last one comes alone. */
function plan(_: PlannedStore, { user_id, digest, time_zone, digest_at: due_at, now }: DueUser) {
  const at = Date.parse(timestamp(due_at));
  const rings = nextDigest(digest, time_zone, at - 1) === new Date(at).toISOString();
  const id = rings ? keyedId(user_id, `digest ${localDay(at, time_zone, 0)}`) : null;
  return { user_id, id, due_at, digest_at: nextDigest(digest, time_zone, Math.max(at, now - dayMs)) };
}

const postponed = ({ user_id, digest_at: due_at }: DueUser, digest_at: string) => ({
  user_id,
  id: null,
  due_at,
  digest_at,
});
