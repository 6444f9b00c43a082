import type { InferKyselyDB } from "@mikro-orm/sql";
import type { Kysely } from "kysely";
import type { InputOf, OutputOf, Queries, QueryName } from "../../shared/contracts/catalogue.ts";
import type { entities } from "../../shared/db/entities.ts";
import type { Today } from "../../shared/db/present.ts";
import { localDay } from "../../shared/domain/day.ts";
import type { Refused } from "../../shared/errors.ts";

export type Tables = InferKyselyDB<(typeof entities)[number]>;

/** Whose rows, and at which moment; every query is keyed by the user. */
export type Reader = Readonly<{
  db: Kysely<Tables>;
  userId: string;
  /** Epoch ms. */
  now: number;
  defaultTimeZone: string;
  baseUrl: string;
}>;

/** One query's answer, straight from Postgres. */
export type Read<Name extends QueryName> = (
  reader: Reader,
  input: InputOf<Queries[Name]>,
) => Promise<OutputOf<Queries[Name]> | Refused>;

export type Clock = Readonly<{ timeZone: string; dayStartHour: number; today: Today }>;

/** The user's zone, start of day and present date. */
export async function clockOf({ db, userId, now, defaultTimeZone }: Reader): Promise<Clock> {
  const user = await db
    .selectFrom("users")
    .select(["time_zone", "day_start_hour"])
    .where("user_id", "=", userId)
    .executeTakeFirst();
  const timeZone = user?.time_zone ?? defaultTimeZone;
  const dayStartHour = user?.day_start_hour ?? 0;
  return { timeZone, dayStartHour, today: { date: localDay(now, timeZone, dayStartHour), timeZone } };
}
