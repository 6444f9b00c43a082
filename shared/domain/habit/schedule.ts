import type { Frequency } from "../vocabulary.ts";

/** The custom rhythms: every n days from the last completion, fixed weekdays (1 is Monday), or a number of days a week. */
export type Schedule = { every_days: number } | { weekdays: number[] } | { times_per_week: number };

/** A habit's rhythm, and how many misses in a row its streak survives. */
export type Rules = Readonly<{
  frequency: Frequency;
  /** Rows and images can lack it. */
  schedule?: Schedule | null | undefined;
  grace_days: number;
}>;
