import type { Static } from "typebox";
import type { getSettings } from "../../../../shared/contracts/user/contracts.ts";
import type { TargetColumn } from "../../../../shared/domain/reminder/channels.ts";

export type UserSettings = Static<typeof getSettings.output>;

/** The typed texts of a channel, or sentences on what is wrong with them. */
export type Texts = Readonly<Partial<Record<TargetColumn, string>>>;

export type RejectedForm = Readonly<{
  target?: Readonly<{ values: Texts; errors: Texts }>;
  /** The reason why a browser is not added. */
  browser?: string;
  /** The reason why a reminder is not sent again. */
  again?: string;
}>;
