import type { Static } from "typebox";
import type { getSettings } from "../../../../shared/contracts/user/contracts.ts";
import type { ReminderChannel } from "../../../../shared/domain/reminder/channels.ts";

export type UserSettings = Static<typeof getSettings.output>;

/** The values and errors of a rejected form. */
export type RejectedForm = Readonly<{
  target?: Readonly<{ channel: ReminderChannel; value: string; error: string }>;
  /** The reason why a reminder is not sent again. */
  again?: string;
}>;
