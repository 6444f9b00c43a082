import type { Static } from "typebox";
import type { getSettings } from "../../../../shared/contracts/user/contracts.ts";
import type { ReminderChannel } from "../../../../shared/domain/reminder/channels.ts";

export type UserSettings = Static<typeof getSettings.output>;

/** What somebody sent with a form that was not accepted, and what is wrong with it. */
export type RejectedForm = Readonly<{
  target?: Readonly<{ channel: ReminderChannel; value: string; error: string }>;
  /** Why a reminder is not sent again. */
  again?: string;
}>;
