import { type NotNull, sql } from "kysely";
import { presentReminder } from "../../../shared/db/present.ts";
import { type Found, own, type RowOf, selectFrom, statement } from "../../../shared/db/reads/statement.ts";
import { timestamp } from "../../../shared/domain/day/day.ts";
import type { ReminderChannel } from "../../../shared/domain/reminder/channels.ts";
import type { Offer } from "../../../shared/domain/reminder/link.ts";
import { notFound, type Refused } from "../../../shared/errors.ts";
import { daySettings, daySettingsOf, type QueryContext, type QueryHandler } from "../engine/context.ts";

const reminders = selectFrom(own("reminders").as("r"));
const reminderOf = statement({ todo_id: "bigint" }, (value) =>
  reminders
    .select(["r.todo_id", "r.remind_at", "r.status"])
    .select(daySettings)
    .where("r.todo_id", "=", value("todo_id")),
);

export const readReminder: QueryHandler<"reminder.get", Refused> = async (query, { todo_id }) => {
  const found = await query.rows(reminderOf({ todo_id }));
  const [row] = found;
  return row ? presentReminder(row, daySettingsOf(found, query).today) : notFound("Reminder");
};

const usedActs = statement({ id: "uuid" }, (value) =>
  selectFrom(own("reminder_deliveries").as("d")).select("d.used_acts").where("d.id", "=", value("id")),
);

/** True if a link of a delivery has done its act, or was ended; once the thing is done or skipped, all are. */
export async function isActUsed(
  { rows }: Pick<QueryContext, "rows">,
  { deliveryId: id, act }: Pick<Offer, "deliveryId" | "act">,
): Promise<boolean> {
  const [found] = await rows(usedActs({ id }));
  const used = found?.used_acts.split(",") ?? [act];
  return [act, "done", "skip"].some((one) => used.includes(one));
}

const most = 20;
const comingHabits = selectFrom(own("habits").as("h")).where("h.rings_at", "is not", null);

const comingReminders = statement({}, () =>
  selectFrom(
    reminders
      .select(["r.todo_id", "r.remind_at"])
      .where("r.status", "=", sql.lit("scheduled"))
      .where("r.delivery_id", "is", null)
      .orderBy("r.remind_at")
      .limit(sql.lit(most))
      .as("r"),
  )
    .innerJoin(own("todos").as("t"), "t.id", "r.todo_id")
    .select(["t.title", "r.remind_at", "r.todo_id as id"])
    .unionAll(
      comingHabits
        .select(["h.name as title", "h.rings_at as remind_at", "h.id"])
        .$narrowType<{ remind_at: NotNull }>(),
    )
    .orderBy("remind_at")
    .orderBy("id")
    .limit(sql.lit(most)),
);

/** A reminder of a todo or habit that will ring. */
export type ComingReminder = Pick<Found<typeof comingReminders>, "title" | "remind_at">;

/** The next reminders of a user, soonest first. */
export async function readComingReminders({ rows }: QueryContext): Promise<ComingReminder[]> {
  const found = await rows(comingReminders({}));
  return found.map(({ title, remind_at }) => ({ title, remind_at: timestamp(remind_at) }));
}

const newestOf = (thing: "todo_id" | "habit_id") =>
  selectFrom(own("reminder_deliveries").as("d"))
    .selectAll("d")
    .where(`d.${thing}`, "is not", null)
    .where("d.status", "<>", sql.lit("cancelled"))
    .orderBy("d.created_at", "desc")
    .limit(sql.lit(most));

const pastDeliveries = statement({}, () =>
  selectFrom(
    sql<RowOf<"reminder_deliveries">>`(${newestOf("todo_id")} union all ${newestOf("habit_id")})`.as("d"),
  )
    .leftJoin(own("habits").as("h"), "h.id", "d.habit_id")
    .leftJoin(own("todos").as("t"), "t.id", "d.todo_id")
    .leftJoin(own("reminders").as("r"), (join) =>
      join.onRef("r.todo_id", "=", "d.todo_id").onRef("r.delivery_id", "=", "d.id"),
    )
    .select(["d.id", "d.todo_id", "d.habit_id", "d.channel", "d.status", "d.attempts", "d.error"])
    .select(["d.scheduled_at", "d.next_attempt_at", "d.finished_at"])
    .select(({ ref, fn }) => [
      fn.coalesce("t.title", "h.name").as("title"),
      sql<boolean | null>`${ref("d.status")} = 'failed' and ((${ref("r.status")} = 'failed'
        and not ${ref("t.is_completed")}) or ${ref("h.delivery_id")} = ${ref("d.id")})`.as(
        "can_be_sent_again",
      ),
    ])
    .orderBy("d.created_at", "desc")
    .orderBy("d.id")
    .limit(sql.lit(most)),
);

/**
 * One delivery of a reminder. Times are RFC 3339, `title` is null when the todo or habit is deleted, and `channel` before the
 * first attempt. It can be sent again if it failed and the reminder still has this delivery.
 */
export type PastDelivery = Omit<Found<typeof pastDeliveries>, "can_be_sent_again"> &
  Readonly<{ canBeSentAgain: boolean }>;

/** The newest deliveries of a user. Cancelled ones, whose reminder was moved or cleared, are left out. */
export async function readPastDeliveries({ rows }: QueryContext): Promise<PastDelivery[]> {
  const found = await rows(pastDeliveries({}));
  return found.map(({ can_be_sent_again, ...row }) => ({
    ...row,
    scheduled_at: timestamp(row.scheduled_at),
    next_attempt_at: timestamp(row.next_attempt_at),
    finished_at: row.finished_at && timestamp(row.finished_at),
    canBeSentAgain: can_be_sent_again ?? false,
  }));
}

type Target = Readonly<{ channel: ReminderChannel; is_off: boolean; has_coming: boolean }>;

const ownUser = selectFrom(own("users").as("u"));
const isOff = ownUser.select(({ eb }) => eb("u.webhook_disabled_at", "is not", null).as("is_off"));
const reminderTarget = statement(
  {},
  () => sql<Target>`
    select coalesce(${ownUser.select("u.reminder_channel")}, 'log') as channel,
      coalesce(${isOff}, false) as is_off,
      exists ${reminders.select("r.todo_id").where("r.status", "=", sql.lit("scheduled"))}
        or exists ${comingHabits.select("h.id")} as has_coming`,
);

/** The target of a user's reminders; `has_coming` is true if any are due to ring. */
export async function readReminderTarget({ rows }: QueryContext): Promise<Target> {
  const [found] = await rows(reminderTarget({}));
  return found ?? { channel: "log", is_off: false, has_coming: false };
}
