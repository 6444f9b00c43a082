import { localTime } from "../../../shared/domain/day.ts";
import { timestamp } from "../../../shared/domain/timestamp.ts";
import type { Delivery } from "../lease.ts";

/** `final`: another attempt cannot succeed. The reason is shown to the user. */
export type Sent = Readonly<{ ok: true }> | Readonly<{ ok: false; reason: string; final: boolean }>;

/** Sends one delivery to the user's own target. Resolves within 15 s and never rejects. */
export type Channel = Readonly<{ send(delivery: Delivery): Promise<Sent>; close(): void }>;

/** What every channel tells of a reminder, in the words of the REST interface. */
export function contentOf({ id, todo, scheduled_at, time_zone, late }: Delivery, defaultTimeZone: string) {
  const timeZone = time_zone ?? defaultTimeZone;
  const remindAt = timestamp(scheduled_at);
  return {
    delivery_id: id,
    todo,
    remind_at: remindAt,
    local_time: localTime(Date.parse(remindAt), timeZone),
    time_zone: timeZone,
    late,
  };
}

export const failed = (reason: string, final = false): Sent => ({ ok: false, reason, final });
