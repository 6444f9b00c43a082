import type { InputOf, OutputOf, Queries, QueryName } from "../../../shared/contracts/catalogue.ts";
import type { Scope } from "../../../shared/contracts/kernel/scopes.ts";
import { localDay } from "../../../shared/domain/day/day.ts";
import { reachOf, type Viewer } from "../../../shared/domain/reach.ts";
import type { ReminderChannel } from "../../../shared/domain/reminder/channels.ts";
import type { Refused } from "../../../shared/errors.ts";
import type { Allowance } from "../../http/rate-limit.ts";
import type { Actor } from "../../mailbox/actor.ts";
import { type GuardedRows, guardRows, own, type QueryDatabase } from "./guard.ts";
import { createReadShare, type ShareReads } from "./share.ts";
import { join, type Sql, sql } from "./sql.ts";

type Settings = Readonly<{
  /** Epoch ms. */
  now: number;
  defaultTimeZone: string;
  baseUrl: string;
}>;

/** The rights of a request's token, as its caller may know them. */
type CallingToken = Readonly<{
  scopes: readonly Scope[];
  clientName: string | null;
  allowance: Allowance | undefined;
}>;

/** One user's rows and the moment at which they are read: all that a query works with. */
export type QueryContext = GuardedRows &
  Settings &
  Readonly<{
    token: CallingToken;
    /** Runs a read when it is the user's turn. Each statement of a search travels alone. */
    inTurn<Result>(
      read: (query: QueryContext) => Promise<Result>,
      isSearch: boolean,
    ): Promise<Result | Refused>;
  }>;

type Parts = Settings &
  Readonly<{
    db: QueryDatabase;
    /** Absent where a page asks for its visitor. */
    token?: CallingToken;
    userId: string;
    /** Limits how many reads a user has at once; without it none waits for another. */
    share?: Readonly<{ reads: ShareReads; searches: ShareReads }>;
  }>;

const noToken: CallingToken = { scopes: [], clientName: null, allowance: undefined };

export function createQueryContext({ db, userId, share, token = noToken, ...settings }: Parts): QueryContext {
  const query: QueryContext = { ...guardRows(db, userId), ...settings, token, inTurn };
  function inTurn<Result>(read: (own: QueryContext) => Promise<Result>, isSearch: boolean) {
    const run = () => read(isSearch ? { ...query, ...guardRows(db, userId, { alone: true }) } : query);
    if (!share) return run();
    const runShared = () => share.reads(userId, run);
    return isSearch ? share.searches(userId, runShared) : runShared();
  }
  return query;
}

/** The user, and the token if there is one. */
export type Requester = Pick<Actor, "userId"> & Partial<Pick<Actor, "scopes" | "clientName" | "tokenId">>;

/** Reads for a user, from the primary unless a standby may answer as well. */
export type OpenQuery = (
  actor: Requester,
  manner?: Readonly<{
    /** The rest of the rate limit of the request's token, which it may ask for. */
    allowance?: Allowance | undefined;
    /** Set for reads that are only shown to the user. A front door's own decisions read from the primary. */
    standbyMayAnswer?: boolean;
  }>,
) => QueryContext;

export function openQueries(
  { defaultTimeZone, baseUrl }: Pick<Settings, "defaultTimeZone" | "baseUrl">,
  { primary, shown }: Readonly<{ primary: QueryDatabase; shown: QueryDatabase }>,
  now: () => number,
): OpenQuery {
  const share = { reads: createReadShare("reads"), searches: createReadShare("searches") };
  return ({ userId, scopes = [], clientName = null }, { allowance, standbyMayAnswer = false } = {}) => {
    const token = { scopes, clientName, allowance };
    const db = standbyMayAnswer ? shown : primary;
    return createQueryContext({ db, userId, now: now(), defaultTimeZone, baseUrl, share, token });
  };
}

/** Queries for something by its id or name, which may not exist, or after a cursor that may be outdated. Others always have an answer. */
type RefusableQuery =
  | "category.get"
  | "habit.get"
  | "habit.completions"
  | "todo.get"
  | "todo.pending"
  | "reminder.get"
  | "change.list";

/** Answers one query straight from Postgres. */
export type QueryHandler<Name extends QueryName> = (
  query: QueryContext,
  input: InputOf<Queries[Name]>,
) => Promise<OutputOf<Queries[Name]> | (Name extends RefusableQuery ? Refused : never)>;

export type Condition = Sql;
export const allOf = (...conditions: readonly Condition[]): Condition =>
  conditions.length > 0 ? sql`(${join(conditions, " and ")})` : sql`true`;
export const anyOf = (conditions: readonly Condition[]): Condition => sql`(${join(conditions, " or ")})`;

/** The user's settings as columns of every row, so that a list takes one statement. */
export const daySettingsColumns = sql`
  (select u.time_zone from ${own("users")} u) as user_time_zone,
  (select u.day_start_hour from ${own("users")} u) as user_day_start_hour,
  (select case when u.webhook_disabled_at is null or u.reminder_channel <> 'webhook' then u.reminder_channel end
    from ${own("users")} u) as user_channel`;

export type DaySettingsColumns = {
  user_time_zone: string | null;
  user_day_start_hour: number | null;
  /** Null also for a webhook that is switched off. */
  user_channel: ReminderChannel | null;
};

type DaySettings = Readonly<{ timeZone: string; dayStartHour: number; today: Viewer }>;

/** The user's zone, start of day and present date. */
export async function readDaySettings(query: QueryContext): Promise<DaySettings> {
  return daySettingsOf(await query.rows(sql<DaySettingsColumns>`select ${daySettingsColumns}`), query);
}

/** The day settings in the columns of the first row; the defaults when there is none. */
export function daySettingsOf(
  rows: readonly DaySettingsColumns[],
  { now, defaultTimeZone }: QueryContext,
): DaySettings {
  const timeZone = rows[0]?.user_time_zone ?? defaultTimeZone;
  const dayStartHour = rows[0]?.user_day_start_hour ?? 0;
  const reaches = reachOf({ reminder_channel: rows[0]?.user_channel ?? "log" });
  return {
    timeZone,
    dayStartHour,
    today: { date: localDay(now, timeZone, dayStartHour), timeZone, reaches },
  };
}
