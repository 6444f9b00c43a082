import type { UserRow } from "../../../shared/db/entities.ts";
import { channels, type TestedChannel } from "../../../shared/domain/reminder/channels.ts";
import { conflict } from "../../../shared/errors.ts";
import { timeOfUuid } from "../../unit-of-work/batch-times.ts";
import { allWithoutLock, settingsForUpdate } from "../../unit-of-work/row-request.ts";
import type { Handler, HandlerContext } from "../handler.ts";
import { missingTarget } from "../user/channels.ts";
import { newDelivery } from "./new-delivery.ts";

/** An attempt takes at most this long, so a user has one test under way. */
const testEveryMs = 10_000;

/** The test's id is a UUID that contains the time of the request. */
const isRecent = (testId: string, now: number): boolean => Math.abs(now - timeOfUuid(testId)) < testEveryMs;

/**
 * A test is a delivery without a todo or habit. A tick finds it within a second or two, like that of a due
 * reminder.
 */
export const channelTest: Handler<"webhook.test"> = {
  rows: () => [settingsForUpdate, allWithoutLock("push_subscriptions")],
  run({ users, browsers, deliveries, acceptedAt, now }, { channel = "webhook" }) {
    const user = users.get();
    if (!user || !hasTarget(user, browsers, channel))
      return conflict(`Nothing can be sent ${channels[channel].way} yet`, "save its address first.");
    if (user.webhook_test_id != null && isRecent(user.webhook_test_id, acceptedAt))
      return conflict("The last test is only a moment old.", "Look at how it went before you send another.");
    const scheduled_at = new Date(acceptedAt).toISOString();
    const test = { todo_id: null, habit_id: null, channel, scheduled_at } as const;
    const { id } = deliveries.insert(newDelivery({ acceptedAt, now }, test));
    users.update(user, { webhook_test_id: id, updated_at: now });
    return { delivery_id: id };
  },
};

const hasTarget = (
  user: UserRow,
  browsers: HandlerContext["browsers"],
  reminder_channel: TestedChannel,
): boolean => missingTarget({ ...user, reminder_channel }, browsers.all().length) === undefined;
