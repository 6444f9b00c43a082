import type { PushSubscriptionRow, ReminderDeliveryRow, UserRow } from "../../../shared/db/entities.ts";
import { presentSettings } from "../../../shared/db/present.ts";
import { sql } from "../../../shared/db/reads/sql.ts";
import { timestamp } from "../../../shared/domain/day/day.ts";
import { type QueryHandler, readDaySettings } from "../engine/context.ts";

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
