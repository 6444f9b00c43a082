import { timestamp } from "../../../shared/domain/day/timestamp.ts";
import type { ReminderChannel } from "../../../shared/domain/reminder/channels.ts";
import type { DeliveryStatus } from "../../../shared/domain/vocabulary.ts";
import type { QueryContext } from "../engine/context.ts";
import { literal, sql } from "../engine/sql.ts";

/** A reminder that will ring. */
export type ComingReminder = Readonly<{ todo_id: number; title: string; remind_at: string }>;

/** One delivery of a reminder. Times are RFC 3339. */
export type PastDelivery = Readonly<{
  id: string;
  todo_id: number;
  /** Null when the todo is deleted. */
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

/** The next reminders of a user, the first to ring first. */
export async function readComingReminders({ own, rows }: QueryContext): Promise<ComingReminder[]> {
  const found = await rows(sql<ComingReminder>`
    select r.todo_id, t.title, r.remind_at
    from (
      select r.todo_id, r.remind_at from ${own("reminders")} r
      where r.status = 'scheduled' and r.delivery_id is null
      order by r.remind_at limit ${literal(most)}
    ) r join ${own("todos")} t on t.id = r.todo_id
    order by r.remind_at, r.todo_id`);
  return found.map((row) => ({ ...row, remind_at: timestamp(row.remind_at) }));
}

type DeliveryColumns = Omit<PastDelivery, "canBeSentAgain"> & { can_be_sent_again: boolean };

/** The newest deliveries of a user; what was cancelled, because its reminder was moved or cleared, was none. */
export async function readPastDeliveries({ own, rows }: QueryContext): Promise<PastDelivery[]> {
  const found = await rows(sql<DeliveryColumns>`
    select d.id, d.todo_id, t.title, d.channel, d.status, d.attempts, d.error, d.scheduled_at, d.next_attempt_at,
      d.finished_at, d.status = 'failed' and r.status = 'failed' and not t.is_completed as can_be_sent_again
    from (
      select * from ${own("reminder_deliveries")} d
      where d.todo_id is not null and d.status <> 'cancelled'
      order by d.created_at desc limit ${literal(most)}
    ) d
    left join ${own("todos")} t on t.id = d.todo_id
    left join ${own("reminders")} r on r.todo_id = d.todo_id and r.delivery_id = d.id
    order by d.created_at desc, d.id`);
  return found.map(({ can_be_sent_again, ...row }) => ({
    ...row,
    scheduled_at: timestamp(row.scheduled_at),
    next_attempt_at: timestamp(row.next_attempt_at),
    finished_at: row.finished_at && timestamp(row.finished_at),
    canBeSentAgain: can_be_sent_again ?? false,
  }));
}

type Target = Readonly<{ channel: ReminderChannel; is_off: boolean; has_coming: boolean }>;

/** The target of a user's reminders; `has_coming` tells if any are due to ring. */
export async function readReminderTarget({ own, rows }: QueryContext): Promise<Target> {
  const [found] = await rows(sql<Target>`
    select coalesce((select u.reminder_channel from ${own("users")} u), 'log') as channel,
      coalesce((select u.webhook_disabled_at is not null from ${own("users")} u), false) as is_off,
      exists (select from ${own("reminders")} r where r.status = 'scheduled') as has_coming`);
  return found ?? { channel: "log", is_off: false, has_coming: false };
}
