import { createHash } from "node:crypto";
import type { OutputOf } from "../../shared/contracts/catalogue.ts";
import type { sendReminderAgain } from "../../shared/contracts/reminder/contracts.ts";
import type { ReminderDeliveryRow, TodoRow, UserRow } from "../../shared/db/entities.ts";
import { presentReminder } from "../../shared/db/present.ts";
import { conflicts } from "../../shared/domain/conflicts.ts";
import {
  addDays,
  localTime,
  resolveLocalTime,
  type Today,
  timestamp,
  wallTimeOf,
} from "../../shared/domain/day/day.ts";
import { channels, mostBrowsers, type TestedChannel } from "../../shared/domain/reminder/channels.ts";
import type { Act, Offer } from "../../shared/domain/reminder/link.ts";
import { alreadySo, conflict, isRefused, notFound, type Refused } from "../../shared/errors.ts";
import { timeOfUuid } from "../unit-of-work/connection.ts";
import {
  allForUpdate,
  allWithoutLock,
  forUpdate,
  settingsForUpdate,
  withoutLock,
} from "../unit-of-work/row-request.ts";
import { habitComplete, habitSkip, relatedToDay } from "./habit/days.ts";
import { habitAnswer, lockHabit } from "./habit/habit.ts";
import type { Handler, HandlerContext } from "./handler.ts";
import { putReminder, reminderTime, rowsForTime } from "./todo/reminder.ts";
import { lockTodo, relatedToTodo, todoAnswer, todoToggle } from "./todo/todo.ts";
import { missingTarget, newUser } from "./user.ts";

/** @returns null for a todo that has no reminder */
function currentReminder(
  { todos, reminders, viewer }: HandlerContext,
  { todo_id }: Readonly<{ todo_id: number }>,
) {
  if (!todos.get(todo_id)) return undefined;
  const reminder = reminders.get(todo_id);
  return reminder ? presentReminder(reminder, viewer) : null;
}

/**
 * A delivery on request, of a todo, of a habit or of anything else. A tick finds it within a second or two, like that
 * of a due reminder.
 */
export function newDelivery(
  { acceptedAt, now }: Pick<HandlerContext, "acceptedAt" | "now">,
  what: Partial<ReminderDeliveryRow>,
): Omit<ReminderDeliveryRow, "user_id"> {
  const at = new Date(acceptedAt).toISOString();
  return {
    id: Bun.randomUUIDv7("hex", acceptedAt),
    todo_id: null,
    habit_id: null,
    channel: null,
    about: null,
    said: null,
    status: "queued",
    scheduled_at: at,
    attempts: 0,
    late: false,
    error: null,
    used_acts: "",
    asked_at: at,
    next_attempt_at: at,
    created_at: now,
    finished_at: null,
    ...what,
  };
}

export const reminderSet: Handler<"reminder.set"> = {
  stores: "more",
  rows: (input) => [...lockTodo(input), ...rowsForTime(input.remind_at)],
  related: relatedToTodo,
  current: currentReminder,
  run(context, { todo_id, remind_at }) {
    const { todos, reminders, viewer, now } = context;
    const time = reminderTime(context, remind_at);
    if (isRefused(time)) return time;
    const todo = todos.get(todo_id);
    if (!todo) return notFound("Todo");
    if (todo.is_completed) return conflicts.todoCompleted;
    const before = reminders.get(todo_id);
    const row = putReminder(context, todo, time);
    if (row !== before) todos.update(todo, { updated_at: now });
    return presentReminder(row, viewer);
  },
};

export const reminderClear: Handler<"reminder.clear"> = {
  rows: lockTodo,
  related: relatedToTodo,
  current: currentReminder,
  run({ todos, reminders, now }, { todo_id }) {
    const todo = todos.get(todo_id);
    if (!todo) return notFound("Todo");
    if (!reminders.get(todo_id)) return null;
    reminders.remove(todo_id);
    todos.update(todo, { updated_at: now });
    return null;
  },
};

const minute = 60_000;

/**
 * The new time of a reminder that is put off: in an hour, to the minute, or at the same wall time on the user's
 * next day.
 * @param clock `09:00:00`
 */
export function snoozedTime(
  act: Exclude<Act, "done">,
  clock: string,
  { date, timeZone, now }: Today & Readonly<{ now: number }>,
): { remind_at: string; wall_time: string | null } {
  if (act === "hour")
    return { remind_at: instantOf(Math.ceil(now / minute) * minute + 60 * minute), wall_time: null };
  // After midnight the user's day may still be yesterday, so that time of its next day may have passed.
  const wallTimes = [1, 2].map((days) => wallTimeOf(`${addDays(date, days)}T${clock}`));
  const [next = "", later = ""] = wallTimes;
  const wall_time = resolveLocalTime(next, timeZone) > now ? next : later;
  return { remind_at: instantOf(resolveLocalTime(wall_time, timeZone)), wall_time };
}

const instantOf = (time: number): string => new Date(time).toISOString();

/**
 * The delivery remembers the use of its links, so each works once, also after the reply to its first use is
 * forgotten.
 */
function actOnce<Answer extends object>(
  { deliveries }: HandlerContext,
  delivery: ReminderDeliveryRow,
  act: Offer["act"],
  run: () => Answer | Refused,
): Answer | Refused {
  const used = delivery.used_acts.split(",").filter((one) => one !== "");
  if (used.includes(act)) return alreadySo("This link was used already.");
  const answer = run();
  if (!isRefused(answer)) deliveries.update(delivery, { used_acts: [...used, act].join() });
  return answer;
}

export const reminderAct: Handler<"reminder.act"> = {
  stores: "more",
  rows: (input) => [
    ...lockTodo(input),
    forUpdate("reminder_deliveries", input.delivery_id),
    settingsForUpdate,
  ],
  related: relatedToTodo,
  mayMake: "todos",
  run(context, { todo_id, delivery_id, act }) {
    const todo = context.todos.get(todo_id);
    const delivery = context.deliveries.get(delivery_id);
    if (!todo || delivery?.todo_id !== todo_id) return notFound("Todo");
    return actOnce(context, delivery, act, () =>
      act === "done"
        ? todoToggle.run(context, { todo_id, is_completed: true })
        : snooze(context, todo, delivery, act),
    );
  },
};

/** Moves the reminder. That of a recurring todo keeps its wall time for the next todo of the series. */
function snooze(
  context: HandlerContext,
  todo: TodoRow,
  delivery: ReminderDeliveryRow,
  act: Exclude<Act, "done">,
) {
  if (todo.is_completed) return conflicts.todoCompleted;
  const { reminders, todos, today, acceptedAt, now } = context;
  const reminder = reminders.get(todo.id);
  const rangAt = timestamp(delivery.scheduled_at);
  const usual = reminder?.wall_time ?? wallTimeOf(localTime(Date.parse(rangAt), today.timeZone));
  const time = snoozedTime(act, usual.slice(11), { ...today, now: acceptedAt });
  putReminder(
    context,
    todo,
    todo.recurrence == null ? time : { ...time, wall_time: wallTimeOf(usual.replace(" ", "T")) },
  );
  return todoAnswer(context, todos.update(todo, { updated_at: now }));
}

export const habitAct: Handler<"habit.act"> = {
  stores: "more",
  rows: (input) => [...lockHabit(input), forUpdate("reminder_deliveries", input.delivery_id)],
  related: relatedToDay,
  run(context, { habit_id, delivery_id, act, date }) {
    const delivery = context.deliveries.get(delivery_id);
    if (!context.habits.get(habit_id) || delivery?.habit_id !== habit_id) return notFound("Habit");
    const { run } = act === "done" ? habitComplete : habitSkip;
    const answer = actOnce(context, delivery, act, () =>
      act === "hour" ? ringInAnHour(context, delivery, date) : run(context, { habit_id, date }),
    );
    return isRefused(answer) && answer.refusal.code === "invalid" ? outOfReach(date) : answer;
  },
};

/** Another delivery for the day of the first, which is cancelled if the day is done or the habit rings again before. */
function ringInAnHour(context: HandlerContext, { id, habit_id }: ReminderDeliveryRow, date: string) {
  const { habits, deliveries, today, acceptedAt } = context;
  const habit = habit_id == null ? undefined : habits.get(habit_id);
  if (!habit) return notFound("Habit");
  if (habit.delivery_id !== id || habit.rang_on !== date)
    return conflict(`No reminder is open for ${date}`, "see the habit's page for what is due.");
  const { remind_at: at } = snoozedTime("hour", "", { ...today, now: acceptedAt });
  const later = { scheduled_at: at, asked_at: null, status: "retrying", next_attempt_at: at } as const;
  const next = deliveries.insert(newDelivery(context, { habit_id, ...later }));
  return habitAnswer(context, habits.update(habit, { delivery_id: next.id }));
}

/** The person chose no date, so a refusal about the date would not help. */
const outOfReach = (date: string): Refused =>
  conflict(
    `The day of this reminder, ${date}, cannot be changed now`,
    "see the habit's page for days that can.",
  );

type Answer = OutputOf<typeof sendReminderAgain> | Refused;

/**
 * Gives a failed reminder another delivery. The request names the failed delivery, and the reminder then has
 * another one: a second request, or one from an old page, sends nothing.
 */
export const reminderSendAgain: Handler<"reminder.send-again"> = {
  rows: ({ todo_id, habit_id, delivery_id }) => [
    ...(todo_id === undefined ? [] : lockTodo({ todo_id })),
    ...(habit_id === undefined
      ? []
      : [forUpdate("habits", habit_id), ...withoutLock("reminder_deliveries", delivery_id)]),
  ],
  run: (context, { todo_id, habit_id, delivery_id }) =>
    habit_id === undefined
      ? sendOfTodo(context, todo_id ?? 0, delivery_id)
      : sendOfHabit(context, habit_id, delivery_id),
};

const outdated = alreadySo("This reminder was sent again already, or has another time by now.");

function sendOfTodo(context: HandlerContext, todo_id: number, delivery_id: string): Answer {
  const { todos, reminders, deliveries, now } = context;
  const todo = todos.get(todo_id);
  const reminder = reminders.get(todo_id);
  if (!todo || !reminder) return notFound("Reminder");
  if (todo.is_completed) return conflicts.todoCompleted;
  if (reminder.status !== "failed" || reminder.delivery_id !== delivery_id) return outdated;
  const { remind_at: scheduled_at } = reminder;
  const { id } = deliveries.insert(newDelivery(context, { todo_id, scheduled_at }));
  reminders.update(reminder, { status: "scheduled", delivery_id: id, updated_at: now });
  return { delivery_id: id };
}

/** A habit names its last delivery until it is done. */
function sendOfHabit(context: HandlerContext, habit_id: number, delivery_id: string): Answer {
  const { habits, deliveries } = context;
  const habit = habits.get(habit_id);
  const failed = deliveries.get(delivery_id);
  if (!habit || !failed) return notFound("Reminder");
  if (failed.status !== "failed" || habit.delivery_id !== delivery_id) return outdated;
  const { scheduled_at } = failed;
  const { id } = deliveries.insert(newDelivery(context, { habit_id, scheduled_at }));
  habits.update(habit, { delivery_id: id });
  return { delivery_id: id };
}

const rows = () => [settingsForUpdate, allForUpdate("push_subscriptions")];

/**
 * Adds a browser, or gives a known one its new keys. If reminders reached nobody so far, they go to browsers from
 * now on, because the person asked for them.
 */
export const pushSubscribe: Handler<"push.subscribe"> = {
  stores: "more",
  rows,
  run(context, { endpoint, ...subscription }) {
    const { users, browsers, now } = context;
    const id = idOfEndpoint(endpoint);
    const known = browsers.get(id);
    if (!known && browsers.all().length >= mostBrowsers)
      return conflict(`${mostBrowsers} browsers show reminders already`, "remove one of them first.");
    if (known) browsers.update(known, subscription);
    else browsers.insert({ id, endpoint, ...subscription, created_at: now });
    const user = users.get() ?? users.insert(newUser(context));
    if (user.reminder_channel === "log") users.update(user, { reminder_channel: "push", updated_at: now });
    return { id };
  },
};

/** Removes a browser. Without any, reminders to browsers reach nobody, and each answer says so. */
export const pushUnsubscribe: Handler<"push.unsubscribe"> = {
  idempotent: true,
  rows,
  run({ users, browsers, now }, { id }) {
    if (!browsers.get(id)) return null;
    browsers.remove(id);
    const user = users.get();
    if (user?.reminder_channel === "push" && browsers.all().length === 0)
      users.update(user, { reminder_channel: "log", updated_at: now });
    return null;
  },
};

function idOfEndpoint(endpoint: string): string {
  const hex = createHash("sha256").update(endpoint).digest("hex");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, "$1-$2-$3-$4-$5");
}

/** An attempt takes at most this long, so a user has one test under way. */
const testEveryMs = 10_000;

/** The test's id is a UUID that contains the time of the request. */
const isRecent = (testId: string, now: number): boolean => Math.abs(now - timeOfUuid(testId)) < testEveryMs;

/**
 * A test is a delivery without a todo or habit. A tick finds it within a second or two, like that of a due
 * reminder.
 */
export const channelTest: Handler<"webhook.test"> = {
  rows: () => [settingsForUpdate, allWithoutLock("push_subscriptions")],
  run({ users, browsers, deliveries, acceptedAt, now }, { channel = "webhook" }) {
    const user = users.get();
    if (!user || !hasTarget(user, browsers, channel))
      return conflict(`Nothing can be sent ${channels[channel].way} yet`, "save its address first.");
    if (user.webhook_test_id != null && isRecent(user.webhook_test_id, acceptedAt))
      return conflict("The last test is only a moment old.", "Look at how it went before you send another.");
    const { id } = deliveries.insert(newDelivery({ acceptedAt, now }, { channel }));
    users.update(user, { webhook_test_id: id, updated_at: now });
    return { delivery_id: id };
  },
};

const hasTarget = (
  user: UserRow,
  browsers: HandlerContext["browsers"],
  reminder_channel: TestedChannel,
): boolean => missingTarget({ ...user, reminder_channel }, browsers.all().length) === undefined;
