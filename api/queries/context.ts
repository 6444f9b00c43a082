import type { InferKyselyDB } from "@mikro-orm/sql";
import { type Kysely, type RawBuilder, sql } from "kysely";
import type { InputOf, OutputOf, Queries, QueryName } from "../../shared/contracts/catalogue.ts";
import type { entities } from "../../shared/db/entities.ts";
import { localDay } from "../../shared/domain/day.ts";
import type { Today } from "../../shared/domain/today.ts";
import type { Refused } from "../../shared/errors.ts";
import type { ShareReads } from "./share.ts";

export type Tables = InferKyselyDB<(typeof entities)[number]>;

/** Whose rows, and at which moment; every query is keyed by the user. */
export type QueryContext = Readonly<{
  db: Kysely<Tables>;
  userId: string;
  /** Epoch ms. */
  now: number;
  defaultTimeZone: string;
  baseUrl: string;
  /** The user's share of the door's connections; a command of the operator's needs none. */
  share?: ShareReads;
}>;

/** One query's answer, straight from Postgres. */
export type QueryHandler<Name extends QueryName> = (
  query: QueryContext,
  input: InputOf<Queries[Name]>,
) => Promise<OutputOf<Queries[Name]> | Refused>;

export type DaySettings = Readonly<{ timeZone: string; dayStartHour: number; today: Today }>;

export type Condition = RawBuilder<unknown>;
export const allOf = (...conditions: readonly Condition[]): Condition =>
  sql`(${sql.join(conditions, sql` and `)})`;

/** The user's settings as columns that come along with each row of anything, so that a page is one statement. */
export const daySettingsColumns = ({ userId }: QueryContext) => sql`
  (select time_zone from users where user_id = ${userId}) as user_time_zone,
  (select day_start_hour from users where user_id = ${userId}) as user_day_start_hour`;

export type DaySettingsColumns = { user_time_zone: string | null; user_day_start_hour: number | null };

/** The user's zone, start of day and present date. */
export async function readDaySettings(query: QueryContext): Promise<DaySettings> {
  const { rows } = await sql<DaySettingsColumns>`select ${daySettingsColumns(query)}`.execute(query.db);
  return daySettingsOf(rows, query);
}

/** The clock that came along; without a row nothing is shown in it. */
export function daySettingsOf(
  rows: readonly DaySettingsColumns[],
  { now, defaultTimeZone }: QueryContext,
): DaySettings {
  const timeZone = rows[0]?.user_time_zone ?? defaultTimeZone;
  const dayStartHour = rows[0]?.user_day_start_hour ?? 0;
  return { timeZone, dayStartHour, today: { date: localDay(now, timeZone, dayStartHour), timeZone } };
}
