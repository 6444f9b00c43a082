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
 * Saving a webhook's address switches the webhook on, even if the address stays the same. Another address gets a
 * new secret. When the e-mail address is removed, mailed reminders go to the log. A channel without its address
 * loses its other texts.
 */
export function changedChannels(
  before: ChannelColumns,
  { webhook_url, ...chosen }: Chosen,
): Partial<ChannelColumns> {
  const changed: Partial<ChannelColumns> = { ...patch(chosen), ...withoutAddress(chosen) };
  if (chosen.email === null && before.reminder_channel === "email") changed.reminder_channel ??= "log";
  if (webhook_url === undefined) return changed;
  const same = webhook_url === before.webhook_url;
  const webhook_secret = same ? before.webhook_secret : webhook_url === null ? null : newSigningSecret();
  return { ...changed, ...untouchedWebhook, webhook_url, webhook_secret };
}

/** @returns 32 random bytes in the format of Standard Webhooks for a symmetric secret */
export const newSigningSecret = (): string =>
  `whsec_${Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64")}`;

function withoutAddress(chosen: Chosen): Partial<ChannelColumns> {
  const gone = Object.values(channels).flatMap(({ targets: [address, ...others] = [] }) =>
    address && chosen[address.column] === null ? others : [],
  );
  return Object.fromEntries(gone.map(({ column }) => [column, null]));
}

/**
 * @param browsers the number of browsers that show reminders
 * @returns errors of a chosen channel that lacks something
 */
export function missingTarget(columns: ChannelColumns, browsers: number): FieldErrors | undefined {
  const { reminder_channel } = columns;
  const { targets = [], way } = channels[reminder_channel];
  if (reminder_channel === "push" && browsers === 0)
    return { reminder_channel: ["The reminder_channel field can be push once a browser shows reminders."] };
  const missing = targets.find(({ column, optional }) => !optional && columns[column] == null);
  return missing && { [missing.column]: [`The ${missing.column} field is needed for reminders ${way}.`] };
}
