import type { Today } from "./today.ts";
import type { ReminderChannel } from "./vocabulary.ts";

/** The places at which a user's reminders arrive. The server's log is nobody. */
export const reaches = ["nobody", "email", "webhook"] as const;
type Reach = (typeof reaches)[number];

type ChosenChannel = Readonly<{ reminder_channel: ReminderChannel; webhook_disabled_at?: unknown }>;

/** @param user undefined for a user who has never chosen anything */
export function reachOf(user: ChosenChannel | undefined): Reach {
  const { reminder_channel: channel = "log", webhook_disabled_at } = user ?? {};
  const isOff = channel === "webhook" && webhook_disabled_at != null;
  return channel === "log" || isOff ? "nobody" : channel;
}

/** The user's day and zone, and whether a reminder reaches them: all that a todo is presented with. */
export type Viewer = Today & Readonly<{ reaches: Reach }>;
