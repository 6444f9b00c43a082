import { type Static, Type } from "typebox";
import Format from "typebox/format";
import { isTimeZone } from "../../domain/day/day.ts";
import {
  perTarget,
  reminderChannels,
  type TargetColumn,
  targetFormats,
  testedChannels,
  typedTexts,
} from "../../domain/reminder/channels.ts";
import { deliveryStatuses, digests, themes, weekStarts } from "../../domain/vocabulary.ts";
import { command, query, route } from "../kernel/contract.ts";
import {
  Clearable,
  Id,
  Nullable,
  OneOf,
  Reach,
  Timestamp,
  TodayFields,
  titled,
  titledObject,
  WholeNumber,
} from "../kernel/fields.ts";
import { allScopes } from "../kernel/scopes.ts";

Format.Set("time-zone", isTimeZone);
for (const [name, isRight] of Object.entries(targetFormats)) Format.Set(name, isRight);

const TimeZone = Type.String({
  format: "time-zone",
  maxLength: 64,
  expects: "an IANA time zone such as Europe/Berlin",
});

/** Words are English everywhere; dates, clocks and weeks differ. */
const Locale = Type.String({ pattern: "^en-(GB|US)-u-fw-(mon|fri|sat|sun)-hc-h(12|23)$" });

export const Settings = Type.Object({
  time_zone: Type.String(),
  day_start_hour: Type.Integer(),
  locale: Nullable(Type.String()),
  theme: OneOf(themes),
  week_start: OneOf(weekStarts),
  reminder_channel: OneOf(reminderChannels),
  digest: OneOf(digests),
  ...perTarget(() => Nullable(Type.String())),
  webhook_secret: Nullable(Type.String({ description: "whsec_…: the receiver checks signatures with it" })),
  webhook_failures: Type.Integer({ description: "failed attempts in a row" }),
  webhook_disabled_at: Nullable(Timestamp),
});

const ChannelTest = Type.Object({
  channel: Nullable(OneOf(reminderChannels)),
  status: OneOf(deliveryStatuses),
  error: Nullable(Type.String()),
  created_at: Timestamp,
  finished_at: Nullable(Timestamp),
});

export const getSettings = query({
  name: "user.settings",
  scopes: [],
  summary: "View the user's time zone, start of day and reminder channels",
  input: Type.Object({}),
  output: Type.Object({
    ...Settings.properties,
    test: Nullable(ChannelTest),
    browsers: Type.Array(Type.Object({ id: Type.String(), browser: Type.String(), created_at: Timestamp })),
  }),
});

const newAddress = (input: Partial<Record<TargetColumn, string | null>>) =>
  typedTexts.find(({ column }) => input[column] != null)?.title;

export const changeSettings = command({
  name: "user.configure",
  apart: true,
  scopes: [],
  summary: "Choose the time zone, the hour at which the user's day starts and where reminders go",
  input: Type.Object({
    time_zone: Type.Optional(TimeZone),
    day_start_hour: Clearable(WholeNumber(0, 6)),
    locale: Type.Optional(Locale),
    theme: Type.Optional(OneOf(themes)),
    week_start: Type.Optional(OneOf(weekStarts)),
    reminder_channel: Type.Optional(OneOf(reminderChannels)),
    digest: Type.Optional(OneOf(digests)),
    ...perTarget(({ format, maxLength, expects }) => Clearable(Type.String({ format, maxLength, expects }))),
  }),
  output: Settings,
  opens: (input) => (newAddress(input) === undefined ? undefined : "channel"),
  events(input) {
    const names = Object.keys(input).filter((name) => name !== "locale");
    const ofDay = ["time_zone", "day_start_hour", "theme", "week_start", "digest"];
    const way = newAddress(input);
    if (names.length === 0) return [];
    if (way) return [{ kind: "channel_added", details: { way } }];
    const kind = names.every((name) => ofDay.includes(name)) ? "settings_changed" : "channel_changed";
    return [{ kind, details: { fields: names.join(", ") } }];
  },
});

export const testChannel = command({
  name: "webhook.test",
  scopes: [],
  summary: "Send one test by a channel, the webhook if none is named; user.settings shows what became of it",
  input: Type.Object({ channel: Type.Optional(OneOf(testedChannels)) }),
  output: Type.Object({ delivery_id: Type.String() }),
});

export const claimZone = command({
  name: "user.claim-zone",
  apart: true,
  scopes: [],
  summary: "Take the time zone from the newest-issued token, unless the user chose one",
  input: Type.Object({ time_zone: TimeZone, issued_at: Timestamp }),
  output: Settings,
});

/** A return to the list of actions within this time belongs to the same visit. */
export const visitMs = 30 * 60_000;

export const seeActions = command({
  name: "user.see",
  scopes: [],
  summary: "Note how far the person has seen the list of actions, on whatever device",
  input: Type.Object({ newest: Timestamp }),
  output: Type.Null(),
});

export const endSessions = command({
  name: "user.end-sessions",
  scopes: [],
  summary: "Sign the user out of the account pages in every browser",
  input: Type.Object({}),
  output: Type.Null(),
});

export const endWaysOut = command({
  name: "user.end-ways",
  apart: true,
  scopes: [],
  summary: "End every way out of the account, or only what waits for the approval of a token's requests",
  input: Type.Object({ token_id: Type.Optional(Type.String()) }),
  output: Type.Null(),
});

export const deleteUser = command({
  name: "user.delete",
  apart: true,
  scopes: [],
  summary: "Delete everything the service holds of a user whose account is closed",
  input: Type.Object({}),
  output: Type.Null(),
});

const Me = titledObject("Me", {
  ...TodayFields,
  day_start_hour: Type.Integer({ description: "The hour at which the user's day begins, 0 to 6" }),
  reminders_reach: Reach,
  scopes: Type.Array(titled("Scope", OneOf(allScopes))),
  client_name: Nullable(Type.String()),
  rules: Nullable(
    titledObject("Rules", {
      asks_deletions: Type.Boolean({ description: "Deletions wait for the person's approval" }),
      ask_above: Nullable(
        Type.Integer({ description: "Changes of more things at once wait for the person's approval" }),
      ),
      changes_per_day: Nullable(Type.Integer()),
      changes_left: Nullable(Type.Integer()),
      deletions_per_day: Nullable(Type.Integer()),
      deletions_left: Nullable(Type.Integer()),
      category: Nullable(
        titled(
          "OnlyCategory",
          Type.Object(
            { id: Id, name: Nullable(Type.String()) },
            { description: "The only category whose things it may change; without a name it is deleted" },
          ),
        ),
      ),
    }),
  ),
  rate_limit: Nullable(
    titledObject("RateLimit", {
      limit: Type.Integer(),
      remaining: Type.Integer(),
      reset: Type.Integer({ description: "When the window ends, in epoch seconds" }),
    }),
  ),
});

const exampleMe: Static<typeof Me> = {
  today: "2026-11-20",
  time_zone: "UTC",
  day_start_hour: 0,
  reminders_reach: "nobody",
  scopes: [...allScopes],
  client_name: "Claude Code",
  rules: null,
  rate_limit: { limit: 60, remaining: 59, reset: 1795163460 },
};

export const getMe = query({
  name: "me.get",
  scopes: [],
  summary:
    "The user's day, and what the token of this request may do; rules is null if the person set none, rate_limit where the limit is turned off",
  rest: [route("getMe", "GET", "/me", { input: {}, output: exampleMe })],
  input: Type.Object({}),
  output: Me,
});

export const setCalendarFeed = command({
  name: "calendar.set",
  scopes: [],
  summary: "Give the user's calendar feed a new secret address in place of any earlier one, or none",
  input: Type.Object({
    secret_hash: Nullable(Type.String({ pattern: "^[A-Za-z0-9_-]{43}$", expects: "a sha256 in base64url" })),
  }),
  output: Type.Null(),
  opens: ({ secret_hash }) => (secret_hash === null ? undefined : "calendar"),
  events: ({ secret_hash }) => [{ kind: secret_hash === null ? "feed_ended" : "feed_made", details: {} }],
});

export const noteExport = command({
  name: "journal.export",
  scopes: [],
  summary: "Note in the account journal that a file is downloaded",
  input: Type.Object({ what: Type.String() }),
  output: Type.Null(),
  opens: () => "export",
  events: ({ what }) => [{ kind: "exported", details: { what } }],
});

export const sendMessage = command({
  name: "journal.send",
  scopes: [],
  summary: "Send a message about the account by the channel of reminders",
  input: Type.Object({ title: Type.String(), notes: Type.String(), url: Type.String() }),
  output: Type.Null(),
});

export const countUse = command({
  name: "journal.count-use",
  scopes: [],
  summary: "Count the reads of a token over REST, and note a network that it has not used before",
  input: Type.Object({
    token_id: Type.String(),
    client_name: Nullable(Type.String()),
    network: Type.String(),
    reads: WholeNumber(0, Number.MAX_SAFE_INTEGER),
  }),
  output: Type.Null(),
  events({ token_id, client_name, network, reads }) {
    const name = client_name ?? token_id;
    const used = {
      kind: "token_elsewhere",
      details: { name, network },
      subject: `${token_id} ${network}`,
    } as const;
    const read = { kind: "rest_reads", details: { name }, subject: token_id, times: reads } as const;
    return reads > 0 ? [used, read] : [used];
  },
});
