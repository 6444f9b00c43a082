import type { Today } from "./day/today.ts";
import {
  isReaching,
  type ReachingChannel,
  type ReminderChannel,
  reminderChannels,
} from "./reminder/channels.ts";

/** The places at which a user's reminders arrive. The server's log is nobody. */
export const reaches: readonly Reach[] = ["nobody", ...reminderChannels.filter(isReaching)];
const reachOfChannel = new Map<ReminderChannel, Reach>(
  reminderChannels.map((channel) => [channel, isReaching(channel) ? channel : "nobody"]),
);
type Reach = "nobody" | ReachingChannel;

type ChosenChannel = Readonly<{ reminder_channel: ReminderChannel; webhook_disabled_at?: unknown }>;

/** @param user undefined for a user who has never chosen anything */
export function reachOf(user: ChosenChannel | undefined): Reach {
  const { reminder_channel: channel = "log", webhook_disabled_at } = user ?? {};
  const isOff = channel === "webhook" && webhook_disabled_at != null;
  return (isOff ? undefined : reachOfChannel.get(channel)) ?? "nobody";
}

/** The user's day and zone, and whether a reminder reaches them: all that a todo is presented with. */
export type Viewer = Today & Readonly<{ reaches: Reach }>;
