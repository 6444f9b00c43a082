import { presentSettings } from "../../shared/db/present.ts";
import { timestamp } from "../../shared/domain/timestamp.ts";
import { type QueryHandler, readDaySettings } from "./context.ts";

export const settings: QueryHandler<"user.settings"> = async (query) => {
  const { db, userId } = query;
  const [clock, user] = await Promise.all([
    readDaySettings(query),
    db
      .selectFrom("users as u")
      .leftJoin("reminder_deliveries as d", (join) =>
        join.onRef("d.user_id", "=", "u.user_id").onRef("d.id", "=", "u.webhook_test_id"),
      )
      .selectAll("u")
      .select(["d.status as test_status", "d.error as test_error"])
      .select(["d.created_at as test_created_at", "d.finished_at as test_finished_at"])
      .where("u.user_id", "=", userId)
      .executeTakeFirst(),
  ]);
  const test =
    user?.test_status && user.test_created_at
      ? {
          status: user.test_status,
          error: user.test_error,
          created_at: timestamp(user.test_created_at),
          finished_at: user.test_finished_at && timestamp(user.test_finished_at),
        }
      : null;
  return { ...presentSettings(user, clock), webhook_test: test };
};
