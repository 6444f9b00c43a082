import { conflict } from "../../../shared/errors.ts";
import { settingsForUpdate } from "../../unit-of-work/row-request.ts";
import { timeOfUuid } from "../../unit-of-work/uuid-time.ts";
import type { Handler } from "../handler.ts";
import { newDelivery } from "./new-delivery.ts";

/** This is as long as an attempt may take, so a user has at most one test under way at an address. */
const testEveryMs = 10_000;

/** The test's id is a UUID that has the time at which it was asked for. */
const isRecent = (testId: string, now: number): boolean => Math.abs(now - timeOfUuid(testId)) < testEveryMs;

/** A test is a delivery without a todo. A tick finds it as it finds a reminder's, within a second or two. */
export const webhookTest: Handler<"webhook.test"> = {
  rows: () => [settingsForUpdate],
  run({ users, deliveries, acceptedAt, now }) {
    const user = users.get();
    if (user?.webhook_url == null) return conflict("There is no webhook to test", "save its address first.");
    if (user.webhook_test_id != null && isRecent(user.webhook_test_id, acceptedAt))
      return conflict("The last test is only a moment old.", "Look at how it went before you send another.");
    const scheduled_at = new Date(acceptedAt).toISOString();
    const test = { todo_id: null, channel: "webhook", scheduled_at } as const;
    const { id } = deliveries.insert(newDelivery({ acceptedAt, now }, test));
    users.update(user, { webhook_test_id: id, updated_at: now });
    return { delivery_id: id };
  },
};
