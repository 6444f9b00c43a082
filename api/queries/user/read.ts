import type {
  PushSubscriptionRow,
  ReminderDeliveryRow,
  UserRow,
  WorkRow,
} from "../../../shared/db/entities.ts";
import { presentSettings } from "../../../shared/db/present.ts";
import { sql } from "../../../shared/db/reads/sql.ts";
import { timestamp } from "../../../shared/domain/day/day.ts";
import { isRequestId as isUuid } from "../action/read.ts";
import { readOwnRules } from "../approval/read.ts";
import { type QueryContext, type QueryHandler, readDaySettings } from "../engine/context.ts";

export const readMe: QueryHandler<"me.get"> = async (query) => {
  const { timeZone, dayStartHour, today } = await readDaySettings(query);
  const { scopes, clientName, allowance } = query.token;
  return {
    today: today.date,
    time_zone: timeZone,
    day_start_hour: dayStartHour,
    reminders_reach: today.reaches,
    scopes: [...scopes],
    client_name: clientName,
    rules: await readOwnRules(query, today.date),
    rate_limit: allowance
      ? { limit: allowance.limit, remaining: allowance.remaining, reset: allowance.resetsAt }
      : null,
  };
};

type TestColumns = {
  test_channel: ReminderDeliveryRow["channel"];
  test_status: ReminderDeliveryRow["status"] | null;
  test_error: string | null;
  test_created_at: string | null;
  test_finished_at: string | null;
};

export const readSettings: QueryHandler<"user.settings"> = async (query) => {
  const { own, rows } = query;
  const [daySettings, [user], browsers] = await Promise.all([
    readDaySettings(query),
    rows(sql<UserRow & TestColumns>`
      select u.*, d.channel as test_channel, d.status as test_status, d.error as test_error,
        d.created_at as test_created_at, d.finished_at as test_finished_at
      from ${own("users")} u
      left join ${own("reminder_deliveries")} d on d.id = u.webhook_test_id`),
    rows(sql<Pick<PushSubscriptionRow, "id" | "browser" | "created_at">>`
      select p.id, p.browser, p.created_at from ${own("push_subscriptions")} p order by p.created_at, p.id`),
  ]);
  return {
    ...presentSettings(user, daySettings),
    test: user ? lastTest(user) : null,
    browsers: browsers.map((one) => ({ ...one, created_at: timestamp(one.created_at) })),
  };
};

function lastTest({ test_channel, test_status, test_error, test_created_at, test_finished_at }: TestColumns) {
  if (test_status === null || test_created_at === null) return null;
  return {
    channel: test_channel ?? null,
    status: test_status,
    error: test_error,
    created_at: timestamp(test_created_at),
    finished_at: test_finished_at && timestamp(test_finished_at),
  };
}

export type OpenWork = Pick<WorkRow, "name" | "done" | "total">;
type FoundWork = OpenWork & Pick<WorkRow, "ended_at" | "outcome">;

/** Unfinished long work of a user, in the order in which it will be done. */
export const readOpenWorks = ({ own, rows }: QueryContext): Promise<OpenWork[]> =>
  rows(sql<OpenWork>`
    select w.name, w.done, w.total from ${own("works")} w
    where w.ended_at is null order by w.created_at, w.id`);

/** @returns a command's long work, also for a day after its end; null if there is none */
export async function readWork({ own, rows }: QueryContext, id: string): Promise<FoundWork | null> {
  if (!isUuid(id)) return null;
  const [found] = await rows(sql<FoundWork>`
    select w.name, w.done, w.total, w.ended_at, w.outcome from ${own("works")} w where w.id = ${id}::uuid`);
  return found ?? null;
}

/** True while a command's long work goes on; work that ended with its first step was never stored. */
export async function isUnderWay(query: QueryContext, id: string): Promise<boolean> {
  return (await readWork(query, id))?.ended_at === null;
}
