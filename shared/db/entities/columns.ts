import { p } from "@mikro-orm/core";
import type { TimeOfDay } from "../../domain/vocabulary.ts";

/** Column types that several tables share. Timestamps are UTC strings with microseconds, dates are `YYYY-MM-DD`. */
export const timestamptz = () => p.string().columnType("timestamptz");
export const date = () => p.string().columnType("date");
/** The token's `sub`: part of every key, so that ownership is too. */
export const owner = () => p.text().primary();
export const id = () => p.bigint("number").primary();
export const timeOfDay = () => p.string().columnType("time_of_day").$type<TimeOfDay>().nullable();
export const timestamps = { created_at: timestamptz(), updated_at: timestamptz() };
