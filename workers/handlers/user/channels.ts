import type { InputOf } from "../../../shared/contracts/catalogue.ts";
import type { changeSettings } from "../../../shared/contracts/user/contracts.ts";
import type { UserRow } from "../../../shared/db/entities.ts";
import { channels, perTarget, type TargetColumn } from "../../../shared/domain/reminder/channels.ts";
import type { FieldErrors } from "../../../shared/errors.ts";
import { patch } from "../patch.ts";

type ChannelColumns = Pick<
  UserRow,
  | "reminder_channel"
  | TargetColumn
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

/** The channels of a user who has chosen nothing. */
export const noChannels: ChannelColumns = {
  reminder_channel: "log",
  ...perTarget(() => null),
  webhook_secret: null,
  ...untouchedWebhook,
};

type Chosen = Pick<InputOf<typeof changeSettings>, "reminder_channel" | TargetColumn>;

/**
 * Saving a webhook's address switches it on, even when the address stays the same; another address gets a new
 * secret. When the e-mail address is removed, reminders that were mailed go to the log.
 */
export function changedChannels(
  before: ChannelColumns,
  { webhook_url, ...chosen }: Chosen,
): Partial<ChannelColumns> {
  const changed: Partial<ChannelColumns> = patch(chosen);
  if (chosen.email === null && before.reminder_channel === "email") changed.reminder_channel ??= "log";
  if (webhook_url === undefined) return changed;
  const same = webhook_url === before.webhook_url;
  const webhook_secret = same ? before.webhook_secret : webhook_url === null ? null : newSecret();
  return { ...changed, ...untouchedWebhook, webhook_url, webhook_secret };
}

/** @returns 32 random bytes in the format of Standard Webhooks for a symmetric secret */
const newSecret = (): string =>
  `whsec_${Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64")}`;

/** @returns the errors of a channel that is chosen without an address to send to */
export function missingTarget(columns: ChannelColumns): FieldErrors | undefined {
  const { target, way } = channels[columns.reminder_channel];
  if (!target || columns[target.column] != null) return undefined;
  return { [target.column]: [`The ${target.column} field is needed for reminders ${way}.`] };
}
