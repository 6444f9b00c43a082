import type { Author } from "./author.ts";
import { lastMinute, localDay, type Today } from "./day/day.ts";
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
function reachOf(user: ChosenChannel | undefined): Reach {
  const { reminder_channel: channel = "log", webhook_disabled_at } = user ?? {};
  const isOff = channel === "webhook" && webhook_disabled_at != null;
  return (isOff ? undefined : reachOfChannel.get(channel)) ?? "nobody";
}

/**
 * The user's day, zone and last minute of wall time, the reach of reminders, the service's address, and the app that
 * a thing is shown to; the person has no token.
 */
export type Viewer = Today &
  Readonly<{ lastMinute: string; reaches: Reach; baseUrl: string; reader: Author }>;

/** The columns of a user's settings that a viewer follows from; null or absent where nothing was chosen. */
type ViewerColumns = ChosenChannel &
  Readonly<{ time_zone?: string | null | undefined; day_start_hour?: number | null | undefined }>;

type Service = Readonly<{ defaultTimeZone: string; baseUrl: string }>;

/** @param user undefined for a user who never chose anything */
export function viewerAt(
  instant: number,
  user: ViewerColumns | undefined,
  service: Service,
  reader: Author,
): Viewer {
  const timeZone = user?.time_zone ?? service.defaultTimeZone;
  let minute: string | undefined;
  return {
    date: localDay(instant, timeZone, user?.day_start_hour ?? 0),
    timeZone,
    reaches: reachOf(user),
    baseUrl: service.baseUrl,
    reader,
    // Only a todo with a due time asks for it, and it takes longer than all the others.
    get lastMinute() {
      minute ??= lastMinute(instant, timeZone);
      return minute;
    },
  };
}
