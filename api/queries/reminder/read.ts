import { type PresentedReminder, presentReminder } from "../../../shared/db/present.ts";
import { literal, sql } from "../../../shared/db/reads/sql.ts";
import { timestamp } from "../../../shared/domain/day/day.ts";
import type { ReminderChannel } from "../../../shared/domain/reminder/channels.ts";
import type { Offer } from "../../../shared/domain/reminder/link.ts";
import type { DeliveryStatus } from "../../../shared/domain/vocabulary.ts";
import { notFound } from "../../../shared/errors.ts";
import {
  type DaySettingsColumns,
  daySettingsColumns,
  daySettingsOf,
  type QueryContext,
  type QueryHandler,
} from "../engine/context.ts";

export const readReminder: QueryHandler<"reminder.get"> = async (query, { todo_id }) => {
  const found = await query.rows(sql<PresentedReminder & DaySettingsColumns>`
    select r.todo_id, r.remind_at, r.status, ${daySettingsColumns}
    from ${query.own("reminders")} r where r.todo_id = ${todo_id}::bigint`);
  const [row] = found;
  return row ? presentReminder(row, daySettingsOf(found, query).today) : notFound("Reminder");
};

/** True if a link of a delivery has done its act, or was ended. */
export async function isActUsed(
  { own, rows }: Pick<QueryContext, "own" | "rows">,
  { deliveryId, act }: Pick<Offer, "deliveryId" | "act">,
): Promise<boolean> {
  const [found] = await rows(sql<{ used_acts: string }>`
    select d.used_acts from ${own("reminder_deliveries")} d where d.id = ${deliveryId}::uuid`);
  return !found || found.used_acts.split(",").includes(act);
}

/** A reminder of a todo or habit that will ring. */
export type ComingReminder = Readonly<{ title: string; remind_at: string }>;

/** One delivery of a reminder. Times are RFC 3339. */
export type PastDelivery = Readonly<{
  id: string;
  todo_id: number | null;
  habit_id: number | null;
  /** Null when the todo or habit is deleted. */
  title: string | null;
  /** Null before the first attempt. */
  channel: ReminderChannel | null;
  status: DeliveryStatus;
  attempts: number;
  error: string | null;
  scheduled_at: string;
  next_attempt_at: string;
  finished_at: string | null;
  /** True if it failed and the reminder still has this delivery. */
  canBeSentAgain: boolean;
}>;

const most = 20;

/** The next reminders of a user, soonest first. */
export async function readComingReminders({ own, rows }: QueryContext): Promise<ComingReminder[]> {
  const found = await rows(sql<ComingReminder>`
    select t.title, r.remind_at, r.todo_id as id
    from (
      select r.todo_id, r.remind_at from ${own("reminders")} r
      where r.status = 'scheduled' and r.delivery_id is null
      order by r.remind_at limit ${literal(most)}
    ) r join ${own("todos")} t on t.id = r.todo_id
    union all
    select h.name, h.rings_at, h.id from ${own("habits")} h where h.rings_at is not null
    order by remind_at, id limit ${literal(most)}`);
  return found.map(({ title, remind_at }) => ({ title, remind_at: timestamp(remind_at) }));
}

type DeliveryColumns = Omit<PastDelivery, "canBeSentAgain"> & { can_be_sent_again: boolean };

/** The newest deliveries of a user. Cancelled ones, whose reminder was moved or cleared, are left out. */
export async function readPastDeliveries({ own, rows }: QueryContext): Promise<PastDelivery[]> {
  const found = await rows(sql<DeliveryColumns>`
    select d.id, d.todo_id, d.habit_id, coalesce(t.title, h.name) as title, d.channel, d.status, d.attempts, d.error, d.scheduled_at, d.next_attempt_at,
      d.finished_at, d.status = 'failed' and (
        (r.status = 'failed' and not t.is_completed) or h.delivery_id = d.id) as can_be_sent_again
    from (
      (select * from ${own("reminder_deliveries")} d
        where d.todo_id is not null and d.status <> 'cancelled'
        order by d.created_at desc limit ${literal(most)})
      union all
      (select * from ${own("reminder_deliveries")} d
        where d.habit_id is not null and d.status <> 'cancelled'
        order by d.created_at desc limit ${literal(most)})
    ) d
    left join ${own("habits")} h on h.id = d.habit_id
    left join ${own("todos")} t on t.id = d.todo_id
    left join ${own("reminders")} r on r.todo_id = d.todo_id and r.delivery_id = d.id
    order by d.created_at desc, d.id limit ${literal(most)}`);
  return found.map(({ can_be_sent_again, ...row }) => ({
    ...row,
    scheduled_at: timestamp(row.scheduled_at),
    next_attempt_at: timestamp(row.next_attempt_at),
    finished_at: row.finished_at && timestamp(row.finished_at),
    canBeSentAgain: can_be_sent_again ?? false,
  }));
}

type Target = Readonly<{ channel: ReminderChannel; is_off: boolean; has_coming: boolean }>;

/** The target of a user's reminders; `has_coming` is true if any are due to ring. */
export async function readReminderTarget({ own, rows }: QueryContext): Promise<Target> {
  const [found] = await rows(sql<Target>`
    select coalesce((select u.reminder_channel from ${own("users")} u), 'log') as channel,
      coalesce((select u.webhook_disabled_at is not null from ${own("users")} u), false) as is_off,
      exists (select from ${own("reminders")} r where r.status = 'scheduled')
        or exists (select from ${own("habits")} h where h.rings_at is not null) as has_coming`);
  return found ?? { channel: "log", is_off: false, has_coming: false };
}
