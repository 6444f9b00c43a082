import type { TimeOfDay } from "../../../../shared/domain/vocabulary.ts";
import type { Hour } from "./phrase.ts";

type Written = Readonly<{
  hour: string | undefined;
  minute?: string | undefined;
  /** `a` or `p` */
  half?: string | undefined;
  zone?: string | undefined;
}>;

/** The time that digits write; undefined if no clock shows it. */
export function hourOf({ hour: written = "", minute = "0", half, zone }: Written): Hour | undefined {
  const [hour, inMinutes] = [Number(written), Number(minute)];
  if (written === "" || hour > 23 || inMinutes > 59 || (half && (hour < 1 || hour > 12))) return undefined;
  if (half) return { hour: (hour % 12) + (/p/i.test(half) ? 12 : 0), minute: inMinutes, zone };
  const isOpen = hour >= 1 && hour <= 12 && !written.startsWith("0");
  return { hour, minute: inMinutes, isOpen, zone };
}

/** Words that tell the half of the day of an open hour. */
const early = /\b(wake|waking|get up|getting up|breakfast|sunrise|morning)\b/i;
const late = /\b(dinner|supper|drinks|party|cinema|concert|movie|theat(er|re)|evening|night)\b/i;

/**
 * The possible hours, the likely one first. The line or the part of the day may tell the half of an open hour. Else
 * 1 to 4 are in the afternoon, 9 to 12 in the morning, and 5 to 8 are asked.
 */
export function hoursMeant(hour: Hour, part: TimeOfDay | undefined, line: string): readonly Hour[] {
  const second = { ...hour, hour: hour.hour + 12, isOpen: false };
  const first = { ...hour, isOpen: false };
  if (!hour.isOpen || hour.hour === 12) return [first];
  if (part !== undefined) return part === "morning" ? [first] : [second];
  if (early.test(line) || late.test(line)) return early.test(line) ? [first] : [second];
  if (hour.hour < 5 || hour.hour > 8) return hour.hour < 5 ? [second] : [first];
  return hour.hour < 7 ? [second, first] : [first, second];
}

export const sayHour = ({ hour, minute }: Hour): string =>
  `${String(hour).padStart(2, "0")}:${String(minute).padStart(2, "0")}`;

/** Minutes from one time to the next occurrence of the other. */
export function minutesBetween(from: Hour, to: Hour): number {
  const most = from.isOpen || to.isOpen ? 12 * 60 : 24 * 60;
  const passed = 60 * (to.hour - from.hour) + to.minute - from.minute;
  return ((passed % most) + most) % most;
}
