import type { InputOf } from "../../../shared/contracts/catalogue.ts";
import type { changeSettings } from "../../../shared/contracts/user.ts";
import type { UserRow } from "../../../shared/db/entities.ts";
import { timeOfUuid } from "../../../shared/domain/uuid-time.ts";
import { conflict, type FieldErrors } from "../../../shared/errors.ts";
import { all } from "../../unit-of-work/load.ts";
import type { Handler } from "../handler.ts";
import { patch } from "../patch.ts";

export type Channels = Pick<
  UserRow,
  | "reminder_channel"
  | "email"
  | "webhook_url"
  | "webhook_secret"
  | "webhook_failures"
  | "webhook_failing_since"
  | "webhook_disabled_at"
  | "webhook_test_id"
>;

const untouchedWebhook = {
  webhook_failures: 0,
  webhook_failing_since: null,
  webhook_disabled_at: null,
  webhook_test_id: null,
};

/** Of a user who chose nothing. */
export const noChannels: Channels = {
  reminder_channel: "log",
  email: null,
  webhook_url: null,
  webhook_secret: null,
  ...untouchedWebhook,
};

type Chosen = Pick<InputOf<typeof changeSettings>, "reminder_channel" | "email" | "webhook_url">;

/**
 * Saving a webhook address, also the same again, switches it on. Another address gets a secret of its own. Without
 * an e-mail address nothing can be mailed: reminders that were go to the log.
 */
export function changedChannels(before: Channels, { webhook_url, ...chosen }: Chosen): Partial<Channels> {
  const changed: Partial<Channels> = patch(chosen);
  if (chosen.email === null && before.reminder_channel === "email") changed.reminder_channel ??= "log";
  if (webhook_url === undefined) return changed;
  const same = webhook_url === before.webhook_url;
  const webhook_secret = same ? before.webhook_secret : webhook_url === null ? null : newSecret();
  return { ...changed, ...untouchedWebhook, webhook_url, webhook_secret };
}

/** 32 random bytes, as Standard Webhooks writes a symmetric secret. */
const newSecret = (): string =>
  `whsec_${Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64")}`;

export function missingTarget({ reminder_channel, email, webhook_url }: Channels): FieldErrors | undefined {
  if (reminder_channel === "email" && email == null)
    return { email: ["The email field is needed for reminders by e-mail."] };
  if (reminder_channel === "webhook" && webhook_url == null)
    return { webhook_url: ["The webhook_url field is needed for reminders by webhook."] };
  return undefined;
}

/** As long as an attempt may take: nobody can have more than one test under way at a stranger's address. */
const testEveryMs = 10_000;

/** Whether a test with this id was asked for just now. */
const isRecent = (testId: string, now: number): boolean => Math.abs(now - timeOfUuid(testId)) < testEveryMs;

/** A test is a delivery without a todo: it goes the way of every reminder, within a second or two. */
export const testWebhook: Handler<"webhook.test"> = {
  needs: () => [all("users")],
  run({ users, deliveries, acceptedAt, now }) {
    const user = users.get();
    if (user?.webhook_url == null) return conflict("There is no webhook to test; save its address first.");
    if (user.webhook_test_id != null && isRecent(user.webhook_test_id, acceptedAt))
      return conflict("The last test is only a moment old. Look at how it went before you send another.");
    const at = new Date(acceptedAt).toISOString();
    const { id } = deliveries.insert({
      id: Bun.randomUUIDv7("hex", acceptedAt),
      todo_id: null,
      channel: "webhook",
      status: "queued",
      attempts: 0,
      late: false,
      error: null,
      scheduled_at: at,
      next_attempt_at: at,
      created_at: now,
      finished_at: null,
    });
    users.update(user, { webhook_test_id: id, updated_at: now });
    return { delivery_id: id };
  },
};
