import type { ReminderDeliveryRow, UserRow } from "../../../shared/db/entities.ts";
import { presentSettings } from "../../../shared/db/present.ts";
import { timestamp } from "../../../shared/domain/day/timestamp.ts";
import { type QueryHandler, readDaySettings } from "../engine/context.ts";
import { sql } from "../engine/sql.ts";

type TestColumns = {
  test_status: ReminderDeliveryRow["status"] | null;
  test_error: string | null;
  test_created_at: string | null;
  test_finished_at: string | null;
};

export const readSettings: QueryHandler<"user.settings"> = async (query) => {
  const { own, rows } = query;
  const [daySettings, [user]] = await Promise.all([
    readDaySettings(query),
    rows(sql<UserRow & TestColumns>`
      select u.*, d.status as test_status, d.error as test_error,
        d.created_at as test_created_at, d.finished_at as test_finished_at
      from ${own("users")} u
      left join ${own("reminder_deliveries")} d on d.id = u.webhook_test_id`),
  ]);
  return { ...presentSettings(user, daySettings), webhook_test: user ? webhookTest(user) : null };
};

function webhookTest({ test_status: status, test_error, test_created_at, test_finished_at }: TestColumns) {
  if (status === null || test_created_at === null) return null;
  return {
    status,
    error: test_error,
    created_at: timestamp(test_created_at),
    finished_at: test_finished_at && timestamp(test_finished_at),
  };
}
