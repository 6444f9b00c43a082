import type { Today } from "./day/today.ts";
import {
  isReaching,
  type ReachingChannel,
  type ReminderChannel,
  reminderChannels,
} from "./reminder/channels.ts";

/** The destinations of a user's reminders. The server's log reaches nobody. */
export const reaches: readonly Reach[] = ["nobody", ...reminderChannels.filter(isReaching)];
const reachOfChannel = new Map<ReminderChannel, Reach>(
  reminderChannels.map((channel) => [channel, isReaching(channel) ? channel : "nobody"]),
);
type Reach = "nobody" | ReachingChannel;

type ChosenChannel = Readonly<{ reminder_channel: ReminderChannel; webhook_disabled_at?: unknown }>;

/** @param user undefined for a user who never chose anything */
export function reachOf(user: ChosenChannel | undefined): Reach {
  const { reminder_channel: channel = "log", webhook_disabled_at } = user ?? {};
  const isOff = channel === "webhook" && webhook_disabled_at != null;
  return (isOff ? undefined : reachOfChannel.get(channel)) ?? "nobody";
}

/** The user's day and zone, and the reach of reminders: everything needed to present a todo. */
export type Viewer = Today & Readonly<{ reaches: Reach }>;
