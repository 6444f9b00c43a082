import { localTime, timestamp } from "../../../shared/domain/day/day.ts";
import { tell } from "../about.ts";
import type { LeasedDelivery } from "../lease.ts";
import type { Message } from "./message.ts";

type Failure = Readonly<{
  ok: false;
  /** A sentence for the user. */
  reason: string;
  /** No further attempt can succeed. */
  final: boolean;
  /** The library's message, only for the log of this server. */
  detail?: string | undefined;
}>;

export type ChannelResult = Readonly<{ ok: true }> | Failure;

/** Sends one delivery to the user's own target. Resolves within 15 s and never rejects. */
export type Channel = Readonly<{
  send(delivery: LeasedDelivery, message: Message): Promise<ChannelResult>;
  close(): void;
}>;

/** The content of a reminder with the field names of the REST interface. */
export function contentOf(
  { id, todo, habit, about, scheduled_at, time_zone, late }: LeasedDelivery,
  defaultTimeZone: string,
) {
  const timeZone = time_zone ?? defaultTimeZone;
  const remindAt = timestamp(scheduled_at);
  return {
    delivery_id: id,
    ...(habit && { habit: { id: habit.id, name: habit.name } }),
    ...(about && tell(about).data),
    ...(!habit && !about && { todo: todo && named(todo) }),
    remind_at: remindAt,
    local_time: localTime(Date.parse(remindAt), timeZone),
    time_zone: timeZone,
    late,
  };
}

/** Without the description, which does not belong in a log. */
const named = ({ id, title, due_date, due_time }: NonNullable<LeasedDelivery["todo"]>) => ({
  id,
  title,
  due_date,
  due_time,
});

export const sendFailed = (reason: string, final = false, detail?: string): Failure => ({
  ok: false,
  reason,
  final,
  detail,
});
