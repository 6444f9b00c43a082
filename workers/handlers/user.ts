import type { InputOf } from "../../shared/contracts/catalogue.ts";
import { type changeSettings, visitMs } from "../../shared/contracts/user/contracts.ts";
import type { HabitRow, ReminderRow, UserRow } from "../../shared/db/entities.ts";
import { presentSettings } from "../../shared/db/present.ts";
import {
  addDays,
  dateOfDay,
  dayNumber,
  localDay,
  resolveLocalTime,
  timestamp,
  wallTimeAt,
  weekStart,
} from "../../shared/domain/day/day.ts";
import { moved } from "../../shared/domain/habit/history.ts";
import { streakColumns } from "../../shared/domain/habit/streak.ts";
import { channels, perTarget, type TargetColumn, typedTexts } from "../../shared/domain/reminder/channels.ts";
import { acts, habitActs } from "../../shared/domain/reminder/link.ts";
import type { Digest } from "../../shared/domain/vocabulary.ts";
import type { WayOutKind } from "../../shared/domain/ways-out.ts";
import { type FieldErrors, invalid } from "../../shared/errors.ts";
import type { StoredDaySettings } from "../unit-of-work/connection.ts";
import { allForUpdate, allWithoutLock, settingsForUpdate } from "../unit-of-work/row-request.ts";
import { emptyAccount } from "../upkeep/deleted-users.ts";
import { patch } from "./columns.ts";
import { type DayRules, ringsAfterChange } from "./habit/next-ring.ts";
import {
  beginWork,
  countRows,
  type Handler,
  type HandlerContext,
  type StepContext,
  type Steps,
} from "./handler.ts";

type WallTimeReminder = Readonly<{ remind_at: string; wall_time: string }>;

/**
 * The instant (epoch ms) of a wall-time reminder after its user moved to another zone: the same wall time, also on
 * the day to which it was put off. A reminder that was put off by an hour keeps its instant.
 */
export function instantInZone(
  { remind_at, wall_time }: WallTimeReminder,
  { from, to }: Readonly<Record<"from" | "to", string>>,
): number {
  const usual = wall_time.replace(" ", "T");
  const at = Date.parse(timestamp(remind_at));
  const onItsDay = `${wallTimeAt(timestamp(remind_at), from).slice(0, 10)}${usual.slice(10)}`;
  const shown = [usual, onItsDay].find((time) => resolveLocalTime(time, from) === at);
  return shown === undefined ? at : resolveLocalTime(shown, to);
}

const clock = "08:00";

/** The first digest after an instant (epoch ms): at eight on the user's clock, every day or on Mondays. */
export function nextDigest(digest: Digest, timeZone: string, after: number): string | null {
  if (digest === "never") return null;
  const today = localDay(after, timeZone, 0);
  const isDaily = digest === "daily";
  const first = isDaily ? today : dateOfDay(weekStart(dayNumber(today)));
  const at = (date: string) => resolveLocalTime(`${date}T${clock}`, timeZone);
  const next = at(first) > after ? at(first) : at(addDays(first, isDaily ? 1 : 7));
  return new Date(next).toISOString();
}

type Choice = Pick<UserRow, "digest" | "time_zone">;

/** The next digest after a change of settings. One that is due and not yet taken still comes. */
export function digestAfterChange(
  before: Choice & Pick<UserRow, "digest_at">,
  { digest, time_zone }: Choice,
  now: number,
): string | null {
  const { digest_at = null } = before;
  if (digest === before.digest && time_zone === before.time_zone) return digest_at;
  const waiting = digest_at === null ? now : Date.parse(timestamp(digest_at)) - 1;
  return nextDigest(digest, time_zone, Math.min(waiting, now));
}

type ChannelColumns = Pick<
  UserRow,
  | "reminder_channel"
  | TargetColumn
  | "webhook_secret"
  | "webhook_failures"
  | "webhook_failing_since"
  | "webhook_disabled_at"
  | "webhook_test_id"
>;

const untouchedWebhook = {
  webhook_failures: 0,
  webhook_failing_since: null,
  webhook_disabled_at: null,
  webhook_test_id: null,
};

const noChannels: ChannelColumns = {
  reminder_channel: "log",
  ...perTarget(() => null),
  webhook_secret: null,
  ...untouchedWebhook,
};

type Chosen = Pick<InputOf<typeof changeSettings>, "reminder_channel" | TargetColumn>;

/**
 * Saving a webhook's address switches the webhook on, even if the address stays the same. Another address gets a
 * new secret. When the e-mail address is removed, mailed reminders go to the log. A channel without its address
 * loses its other texts.
 */
function changedChannels(
  before: ChannelColumns,
  { webhook_url, ...chosen }: Chosen,
): Partial<ChannelColumns> {
  const changed: Partial<ChannelColumns> = { ...patch(chosen), ...withoutAddress(chosen) };
  if (chosen.email === null && before.reminder_channel === "email") changed.reminder_channel ??= "log";
  if (webhook_url === undefined) return changed;
  const same = webhook_url === before.webhook_url;
  const webhook_secret = same ? before.webhook_secret : webhook_url === null ? null : newSigningSecret();
  return { ...changed, ...untouchedWebhook, webhook_url, webhook_secret };
}

/** @returns 32 random bytes in the format of Standard Webhooks for a symmetric secret */
export const newSigningSecret = (): string =>
  `whsec_${Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64")}`;

function withoutAddress(chosen: Chosen): Partial<ChannelColumns> {
  const gone = Object.values(channels).flatMap(({ targets: [address, ...others] = [] }) =>
    address && chosen[address.column] === null ? others : [],
  );
  return Object.fromEntries(gone.map(({ column }) => [column, null]));
}

/**
 * @param browsers the number of browsers that show reminders
 * @returns errors of a chosen channel that lacks something
 */
export function missingTarget(columns: ChannelColumns, browsers: number): FieldErrors | undefined {
  const { reminder_channel } = columns;
  const { targets = [], way } = channels[reminder_channel];
  if (reminder_channel === "push" && browsers === 0)
    return { reminder_channel: ["The reminder_channel field can be push once a browser shows reminders."] };
  const missing = targets.find(({ column, optional }) => !optional && columns[column] == null);
  return missing && { [missing.column]: [`The ${missing.column} field is needed for reminders ${way}.`] };
}

/** A change of zone or of the start of day: its time (epoch ms), and the zone before it. */
type DayChange = Readonly<{ at: number; from: string }>;

/** Rows with a time that follows the zone and start of day of their user. */
type Following<Row> = Readonly<{
  /** The columns of a row, with its `id`. */
  columns: string;
  /** The part of a statement from the table on, for rows after the id $2. */
  rows: string;
  atOnce: number;
  timeOf(row: Row, rules: DayRules, change: DayChange): string | null;
  /** Takes the ids, and the times by id. */
  update: string;
}>;

/** Looks a time up by id. A join with the times, planned without statistics, could compare each with every row. */
const movedTo = (id: string): string => `($3::jsonb ->> ${id}::text)::timestamptz`;

/** A reminder that moves to a time ahead rings then, even if the old time is being delivered. */
const ofTodos: Following<Pick<ReminderRow, "remind_at"> & Readonly<{ id: number; wall_time: string }>> = {
  columns: "r.todo_id as id, r.remind_at, r.wall_time",
  rows: `from reminders r
    where r.user_id = $1 and r.todo_id > $2::bigint and r.wall_time is not null
      and r.status in ('scheduled', 'suspended')`,
  atOnce: 1_000,
  timeOf: (row, { timeZone }, { from }) => new Date(instantInZone(row, { from, to: timeZone })).toISOString(),
  update: `
    update reminders r set remind_at = ${movedTo("r.todo_id")}, updated_at = now(),
      delivery_id = case when ${movedTo("r.todo_id")} > now() then null else r.delivery_id end
    where r.user_id = $1 and r.todo_id = any ($2::bigint[]) and r.remind_at <> ${movedTo("r.todo_id")}`,
};

const ofHabits: Following<HabitRow> = {
  columns: "h.*",
  rows: "from habits h where h.user_id = $1 and h.id > $2::bigint and h.remind_at is not null",
  atOnce: 100,
  timeOf: (row, rules, { at }) => ringsAfterChange(row, row, rules, at).rings_at,
  update: `
    update habits h set rings_at = ${movedTo("h.id")}
    where h.user_id = $1 and h.id = any ($2::bigint[])`,
};

/** @returns how many rows came after an id, and the last id unless no row is left */
async function moveNext<Row extends Readonly<{ id: number }>>(
  context: StepContext<DayChange>,
  { columns, rows, atOnce, timeOf, update }: Following<Row>,
  after: string,
) {
  const { connection, userId } = context;
  const select = `select ${columns} ${rows} order by id limit ${atOnce} for update`;
  const [rules, found] = [await dayRulesOf(context), await connection.query<Row>(select, [userId, after])];
  const times = Object.fromEntries(found.rows.map((row) => [row.id, timeOf(row, rules, context.input)]));
  if (found.rows.length > 0)
    await connection.query(update, [userId, Object.keys(times), JSON.stringify(times)]);
  return { done: found.rows.length, last: found.rows.length < atOnce ? undefined : found.rows.at(-1)?.id };
}

const first = "0";
/** A cursor among the habits, which come after the todos. */
const habitCursor = "habit ";

/** Moves wall-clock reminders of todos, then of habits, to the present zone and start of day of their user. */
const moveReminders: Steps<DayChange> = {
  async part(context) {
    const cursor = context.cursor ?? first;
    const isAtHabits = cursor.startsWith(habitCursor);
    const todos = isAtHabits ? { done: 0, last: undefined } : await moveNext(context, ofTodos, cursor);
    if (todos.last !== undefined) return { done: todos.done, cursor: String(todos.last) };
    const after = isAtHabits ? cursor.slice(habitCursor.length) : first;
    const { done, last } = await moveNext(context, ofHabits, after);
    return { done: todos.done + done, cursor: last === undefined ? null : `${habitCursor}${last}` };
  },
  async left(context) {
    const { userId, cursor } = context;
    if (cursor?.startsWith(habitCursor))
      return countRows(context, ofHabits.rows, [userId, cursor.slice(habitCursor.length)]);
    const todos = await countRows(context, ofTodos.rows, [userId, cursor ?? first]);
    return todos + (await countRows(context, ofHabits.rows, [userId, first]));
  },
};

/** Only a slow command changes the settings, and none runs between the steps. */
async function dayRulesOf({ connection, userId }: StepContext) {
  const { rows } = await connection.query<{ time_zone: string; day_start_hour: number }>(
    "select time_zone, day_start_hour from users where user_id = $1",
    [userId],
  );
  return { timeZone: rows[0]?.time_zone ?? "UTC", dayStartHour: rows[0]?.day_start_hour ?? 0 };
}

/** The settings, and all rows that the start of day changes; reminders follow the zone in steps. */
const rowsThatFollowTheZone = [settingsForUpdate, allForUpdate("habits")];

/** @returns the settings of a user who has chosen nothing, in the zone in force */
export const newUser = ({ today, dayStartHour, now }: HandlerContext): Omit<UserRow, "user_id"> => ({
  time_zone: today.timeZone,
  day_start_hour: dayStartHour,
  locale: null,
  theme: "system",
  week_start: "language",
  zone_source: "claim",
  zone_claimed_at: null,
  ...noChannels,
  digest: "never",
  digest_at: null,
  session_generation: 0,
  seen_newest: null,
  seen_before: null,
  seen_at: null,
  created_at: now,
  updated_at: now,
});

/** Stores the settings, and moves rows that depend on the zone and the start of day. */
function storeSettings(context: HandlerContext, day: StoredDaySettings, fields: Partial<UserRow>) {
  const { users, now, acceptedAt } = context;
  const user = users.get();
  const before = user ?? newUser(context);
  const changed = { ...fields, ...day, updated_at: now };
  const digest_at = digestAfterChange(before, { ...before, ...changed }, acceptedAt);
  const row = user
    ? users.update(user, { ...changed, digest_at })
    : users.insert({ ...newUser(context), ...changed, digest_at });
  changeDaySettings(context, day);
  return presentSettings(row, { timeZone: day.time_zone, dayStartHour: day.day_start_hour });
}

/** Moves every streak and wall-clock reminder to another zone or start of day. */
function changeDaySettings(context: HandlerContext, day: StoredDaySettings): void {
  const { today, dayStartHour, acceptedAt } = context;
  const date = localDay(acceptedAt, day.time_zone, day.day_start_hour);
  if (date !== today.date) moveStreaks(context, date);
  const isAsBefore = day.time_zone === today.timeZone && day.day_start_hour === dayStartHour;
  if (!isAsBefore)
    beginWork(context, "user.configure", { at: acceptedAt, from: today.timeZone } satisfies DayChange);
}

function moveStreaks({ habits, today }: HandlerContext, date: string): void {
  for (const row of habits.all()) {
    const days = moved(row, today.date, date);
    habits.update(row, { ...days, ...streakColumns({ ...row, ...days }, date) });
  }
}

/** Once the person has chosen a zone, the zones that tokens claim no longer count. */
export const userConfigure: Handler<"user.configure"> = {
  steps: moveReminders,
  rows: () => [...rowsThatFollowTheZone, allWithoutLock("push_subscriptions")],
  run(context, { time_zone, day_start_hour, locale, theme, week_start, digest, ...chosen }) {
    const day = {
      time_zone: time_zone ?? context.today.timeZone,
      day_start_hour: day_start_hour === undefined ? context.dayStartHour : (day_start_hour ?? 0),
    };
    const before = context.users.get() ?? noChannels;
    const channels = changedChannels(before, chosen);
    const missing = missingTarget({ ...before, ...channels }, context.browsers.all().length);
    if (missing) return invalid(missing);
    const source = time_zone === undefined ? {} : ({ zone_source: "chosen" } as const);
    return storeSettings(context, day, {
      ...channels,
      ...source,
      ...patch({ locale, theme, week_start, digest }),
    });
  },
};

/** Takes over the zone that a token claims, unless the person has chosen one or a newer token claimed another. */
export const userClaimZone: Handler<"user.claim-zone"> = {
  rows: () => rowsThatFollowTheZone,
  run(context, { time_zone, issued_at }) {
    const user = context.users.get();
    const claimedAt = user?.zone_claimed_at;
    const outdated = claimedAt != null && timestamp(claimedAt) > issued_at;
    const keep = user?.zone_source === "chosen" || outdated;
    const day = {
      time_zone: keep ? context.today.timeZone : time_zone,
      day_start_hour: context.dayStartHour,
    };
    return storeSettings(context, day, outdated ? {} : { zone_claimed_at: issued_at });
  },
};

/** Actions that were new in a visit stay new until it has ended. */
export const userSee: Handler<"user.see"> = {
  rows: () => [settingsForUpdate],
  run(context, { newest }) {
    const { users, acceptedAt } = context;
    const user = users.get() ?? users.insert(newUser(context));
    const { seen_at: at, seen_newest: last = null, seen_before: before = null } = user;
    const goesOn = at != null && acceptedAt - Date.parse(timestamp(at)) < visitMs;
    const seen_newest = last !== null && timestamp(last) > newest ? last : newest;
    const seen_at = new Date(acceptedAt).toISOString();
    users.update(user, { seen_newest, seen_before: goesOn ? before : last, seen_at });
    return null;
  },
};

/** Sessions of the account pages have a generation, and only the newest one counts. */
export const userEndSessions: Handler<"user.end-sessions"> = {
  rows: () => [settingsForUpdate],
  run(context) {
    const { users, now } = context;
    const user = users.get() ?? users.insert(newUser(context));
    users.update(user, { session_generation: user.session_generation + 1, updated_at: now });
    return null;
  },
};

const endWaiting = `
  update approvals set state = 'outdated', request = '', decided_at = now() where user_id = $1 and state = 'waiting'`;

/** Statements that end each way out of the account $1. The provider ends tokens and apps. */
const endings: Readonly<Record<WayOutKind, readonly string[]>> = {
  token: [endWaiting],
  app: [],
  webhook: ["delete from webhook_deliveries where user_id = $1", "delete from webhooks where user_id = $1"],
  calendar: ["delete from calendar_feeds where user_id = $1"],
  channel: [
    `update users set ${typedTexts.map(({ column }) => `${column} = null`).join(", ")}, webhook_secret = null,
       reminder_channel = case when reminder_channel in ('email', 'log') then reminder_channel
         when email is null then 'log' else 'email' end
     where user_id = $1`,
    // Links in reminders act without a sign-in.
    `update reminder_deliveries set used_acts = '${[...acts, ...habitActs].join()}' where user_id = $1`,
  ],
  browser: ["delete from push_subscriptions where user_id = $1"],
  export: [],
};

/** The provider repeats it until it has heard that all is ended, which happens in one transaction. */
export const userEndWays: Handler<"user.end-ways"> = {
  idempotent: true,
  run(context, input) {
    beginWork(context, "user.end-ways", input);
    return null;
  },
  steps: {
    async part({ connection, userId, input }) {
      if (typeof input === "object" && input !== null && "token_id" in input)
        await connection.query(`${endWaiting} and token_id = $2`, [userId, input.token_id]);
      else for (const end of Object.values(endings).flat()) await connection.query(end, [userId]);
      return { done: 1, cursor: null };
    },
    left: async () => 0,
  },
};

/** Deletes an account with all its rows, the action log included. Repeating it changes nothing. */
export const userDelete: Handler<"user.delete"> = {
  idempotent: true,
  run: () => null,
  followUp: emptyAccount,
};
