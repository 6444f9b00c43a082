import { localTime, timestamp } from "../../../shared/domain/day/day.ts";
import { sayClock, sayDated, sayUntil, usualLocale } from "../../../shared/domain/day/say-date.ts";
import {
  actLabels,
  actPath,
  acts,
  habitActs,
  type Offer,
  signOffer,
} from "../../../shared/domain/reminder/link.ts";
import type { Config } from "../../../shared/process/config.ts";
import { tell } from "../about.ts";
import type { LeasedDelivery } from "../lease.ts";

type Failure = Readonly<{
  ok: false;
  /** A sentence for the user. */
  reason: string;
  /** No further attempt can succeed. */
  final: boolean;
  /** The library's message, only for the log of this server. */
  detail?: string | undefined;
  /** The receiver's answer, if there was one. */
  answer?: ReceiverAnswer | undefined;
}>;

/** @property retryAfterMs the time for which the receiver asks to be left alone */
export type ReceiverAnswer = Readonly<{ status: number; retryAfterMs: number }>;

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

/** A reminder in words, the same for all channels. An empty text says nothing. */
export type Message = Readonly<{
  title: string;
  subject: string;
  notes: string;
  /** `Due tomorrow at 17:00` */
  due: string;
  /** The time of the reminder on the reader's clock. */
  set: string;
  late: string;
  /** The page of the todo or habit. */
  link: string;
  acts: readonly Offered[];
}>;

type Offered = Readonly<{ act: Offer["act"]; label: string; url: string }>;

type Options = Pick<Config, "baseUrl" | "defaultTimeZone">;
type LinkKeys = Parameters<typeof signOffer>[1];

export function messageOf(
  delivery: LeasedDelivery,
  { baseUrl, defaultTimeZone }: Options,
  linkKeys: LinkKeys,
): Message {
  const { late, scheduled_at, begun_at, time_zone, about } = delivery;
  const isReminder = about === null;
  const timeZone = time_zone ?? defaultTimeZone;
  const locale = delivery.locale ?? usualLocale;
  const now = Date.parse(timestamp(begun_at));
  const today = localTime(now, timeZone).slice(0, 10);
  const at = localTime(Date.parse(timestamp(scheduled_at)), timeZone);
  const { path, ...subject } = subjectOf(delivery, { today, locale });
  return {
    ...subject,
    subject: isReminder ? `Reminder: ${subject.title}` : subject.title,
    set: isReminder
      ? `Reminder set for ${sayDated(at.slice(0, 10), today, locale)} ${sayClock(at.slice(11, 16), locale)} (${timeZone})`
      : "",
    late: late && isReminder ? "This reminder is late: the service could not send it in time." : "",
    // Pages of the identity provider have a whole address.
    link: URL.canParse(path) ? path : `${baseUrl}${path}`,
    acts: offersOf(delivery).map((offer) => ({
      act: offer.act,
      label: labelOf(delivery, offer.act),
      url: `${baseUrl}${actPath}${signOffer(offer, linkKeys, now)}`,
    })),
  };
}

/** The day on which a message is read, and how its reader writes dates. */
type Reader = Readonly<{ today: string; locale: string }>;

function subjectOf({ todo, habit, about }: LeasedDelivery, reader: Reader) {
  if (about) return tell(about).subject;
  if (todo)
    return {
      title: todo.title,
      notes: todo.description ?? "",
      due: sayDue(todo, reader),
      path: `/account/todos/${todo.id}`,
    };
  if (habit)
    return {
      title: habit.name,
      notes: habit.description ?? "",
      due: "A habit for today, not done yet",
      path: `/account/habits/${habit.id}`,
    };
  return {
    title: "A test of your reminders",
    notes: "Reminders come here from now on if you choose this way.",
    due: "",
    path: "/account/settings",
  };
}

/** The message as lines of text, without its title. */
export const linesOf = (
  { notes, due, set, late }: Message,
  longestNotes = Number.POSITIVE_INFINITY,
): string[] => [cut(notes, longestNotes), due, set, late].filter((line) => line !== "");

/** Cuts between whole characters, because an emoji has several code units. */
function cut(text: string, longest: number): string {
  if (text.length <= longest) return text;
  return `${text.slice(0, longest - 1).replace(/[\uD800-\uDBFF]$/, "")}…`;
}

function sayDue(
  { due_date, due_time }: NonNullable<LeasedDelivery["todo"]>,
  { today, locale }: Reader,
): string {
  if (due_date === null) return "";
  const at = due_time === null ? "" : ` at ${sayClock(due_time, locale)}`;
  return due_date < today
    ? `Was due on ${sayDated(due_date, today, locale)}${at}`
    : `Due ${sayUntil(due_date, today, locale)}${at}`;
}

function offersOf({ user_id: userId, id: deliveryId, todo, habit }: LeasedDelivery): Offer[] {
  if (todo) return acts.map((act) => ({ userId, deliveryId, todoId: todo.id, act }));
  if (!habit) return [];
  const { id: habitId, day: date } = habit;
  return habitActs.map((act) => ({ userId, deliveryId, habitId, date, act }));
}

const labelOf = ({ habit }: LeasedDelivery, act: Offer["act"]): string =>
  habit?.type === "bad" && act === "done" ? "Avoided" : actLabels[act];
