/** The days on which a habit was done: by month the days, or over a long time their number. */
export type DaysDone = Readonly<
  { done: Record<string, number[]> } | { done_by_month: Record<string, number> }
>;

export type Period = Readonly<{ from: string; to: string }>;

/** About two months; the days of a longer period would fill an answer. */
const mostListedDays = 62;

/** @param days calendar dates in order */
export function historyOf(days: readonly string[], length: number): DaysDone {
  const months = [...Map.groupBy(days, (day) => day.slice(0, 7))];
  const each = <Told>(tell: (days: readonly string[]) => Told) =>
    Object.fromEntries(months.map(([month, its]) => [month, tell(its)]));
  if (length > mostListedDays) return { done_by_month: each((its) => its.length) };
  return { done: each((its) => its.map((day) => Number(day.slice(8)))) };
}

/** The sums of the days on which something was added, or over a long time those of the months. */
export type AmountsDone = Readonly<
  { amounts: Record<string, number> } | { amount_by_month: Record<string, number> }
>;

type DayAmount = Readonly<{ date: string; amount: number }>;

/** @param days in the order of dates */
export function amountsOf(days: readonly DayAmount[], length: number): AmountsDone {
  if (length <= mostListedDays)
    return { amounts: Object.fromEntries(days.map(({ date, amount }) => [date, amount])) };
  const months = [...Map.groupBy(days, ({ date }) => date.slice(0, 7))];
  return { amount_by_month: Object.fromEntries(months.map(([month, its]) => [month, totalOf(its)])) };
}

const totalOf = (days: readonly DayAmount[]): number => days.reduce((sum, { amount }) => sum + amount, 0);

/** `14 in all (2026-11-18: 6, 2026-11-19: 8)`. */
export function amountWords(done: AmountsDone): string {
  const parts = Object.entries("amounts" in done ? done.amounts : done.amount_by_month);
  const total = parts.reduce((sum, [, amount]) => sum + amount, 0);
  const each = parts.map(([when, amount]) => `${when}: ${amount}`).join(", ");
  return parts.length === 0 ? "0 in all" : `${total} in all (${each})`;
}

const names = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** `done Oct 30 31, Nov 1`, or `done 2026-10: 12, 2026-11: 3`. */
export function historyWords(history: DaysDone): string {
  const parts =
    "done" in history
      ? Object.entries(history.done).map(
          ([month, days]) => `${names[Number(month.slice(5)) - 1]} ${days.join(" ")}`,
        )
      : Object.entries(history.done_by_month).map(([month, count]) => `${month}: ${count}`);
  return parts.length === 0 ? "never done" : `done ${parts.join(", ")}`;
}
