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
const reachOfChannel = new Map<ReminderChannel | null | undefined, Reach>(
  reminderChannels.map((channel) => [channel, isReaching(channel) ? channel : "nobody"]),
);
type Reach = "nobody" | ReachingChannel;

/** The columns of a user's settings that a viewer follows from; null or absent where nothing was chosen. */
type ViewerColumns = Readonly<{
  time_zone?: string | null | undefined;
  day_start_hour?: number | null | undefined;
  reminder_channel?: ReminderChannel | null | undefined;
  webhook_disabled_at?: unknown;
}>;

const reachOf = ({ reminder_channel: channel, webhook_disabled_at: disabledAt }: ViewerColumns): Reach =>
  channel === "webhook" && disabledAt != null ? "nobody" : (reachOfChannel.get(channel) ?? "nobody");

/**
 * The user's day, zone and last minute of wall time, the reach of reminders, the service's address, and the app that
 * a thing is shown to; the person has no token.
 */
export type Viewer = Today &
  Readonly<{ lastMinute: string; reaches: Reach; baseUrl: string; reader: Author }>;

type Service = Readonly<{ defaultTimeZone: string; baseUrl: string }>;

export function viewerAt(instant: number, user: ViewerColumns, service: Service, reader: Author): Viewer {
  const timeZone = user.time_zone ?? service.defaultTimeZone;
  let minute: string | undefined;
  return {
    date: localDay(instant, timeZone, user.day_start_hour ?? 0),
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

type Due = Readonly<{ is_completed: boolean; due_date: string | null; due_time: string | null }>;
type Clock = Pick<Viewer, "date" | "lastMinute">;

/**
 * A todo with a due time is overdue from that minute on, another one from the user's next day on.
 * `api/queries/todo/order.ts` has the same rule in SQL.
 */
export function isOverdue({ is_completed, due_date, due_time }: Due, clock: Clock): boolean {
  if (is_completed || due_date === null) return false;
  return due_time === null ? due_date < clock.date : `${due_date}T${due_time}` <= clock.lastMinute;
}
