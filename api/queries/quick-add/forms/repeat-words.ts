import type { LineWord } from "../../../../shared/domain/todo/quick-add-words.ts";
import type { Repeat } from "./repeat-rule.ts";

const weeks = (interval: number): Repeat => ({ freq: "WEEKLY", interval });

export const adverbs = new Map<string, Repeat>([
  ["daily", { freq: "DAILY" }],
  ["weekly", { freq: "WEEKLY" }],
  ...["biweekly", "bi-weekly", "fortnightly"].map((name) => [name, weeks(2)] as const),
  ["monthly", { freq: "MONTHLY" }],
  ["quarterly", { freq: "MONTHLY", interval: 3 }],
  ...["yearly", "annually"].map((name) => [name, { freq: "YEARLY" }] as const),
]);

export const units = new Map<string, Repeat>([
  ...["day", "days"].map((name) => [name, { freq: "DAILY" }] as const),
  ...["week", "weeks"].map((name) => [name, { freq: "WEEKLY" }] as const),
  ...["month", "months"].map((name) => [name, { freq: "MONTHLY" }] as const),
  ...["quarter", "quarters"].map((name) => [name, { freq: "MONTHLY", interval: 3 }] as const),
  ...["year", "years"].map((name) => [name, { freq: "YEARLY" }] as const),
]);

/** An adverb is a repetition at the end, or before words that begin no noun. */
export const isAdverb = (next: LineWord | undefined): boolean =>
  next === undefined ||
  /^(on|at|in|from|until|till|starting|for|and|to|with|,|[#@].*|\d{1,2}(:\d\d|[ap]m).*)$/.test(next.text);
