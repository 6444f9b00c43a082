import { mostInDay } from "../../../../shared/contracts/habit/fields.ts";

/** A day's sum, and the target by which the day counts: 0 once it was ticked off without one. */
export type DaySum = Readonly<{ amount: number; target: number }>;

/** A day is completed exactly if its sum has reached its target; one without a sum, if it was ticked off. */
export type CountedDay = Readonly<{ sum: DaySum | undefined; isCompleted: boolean }>;

/**
 * Adds an amount, or the rest of the target. A completed day stays completed under any later target.
 * @param target of the habit at present
 */
export function addToDay(
  { sum, isCompleted }: CountedDay,
  target: number | null,
  amount?: number,
): CountedDay | "already_completed" | "no_target" | "too_much" {
  if (target === null && amount !== undefined) return "no_target";
  if (isCompleted && amount === undefined) return "already_completed";
  if (target === null) return { sum: sum && { ...sum, target: 0 }, isCompleted: true };
  const before = sum?.amount ?? 0;
  const after = amount === undefined ? Math.max(before, target) : before + amount;
  if (after > mostInDay) return "too_much";
  return withTarget(after, isCompleted ? (sum?.target ?? 0) : target);
}

/** The sums that an action found and left; without a field that it did not change. */
export type SumChange = Readonly<{
  before: Partial<DaySum> | undefined;
  after: Partial<DaySum> | undefined;
}>;

/**
 * Takes an action back: the sum goes back by what it added, and the target returns unless another action changed it.
 * @param target of the habit at present, for a day that lost its sum since
 */
export function withoutChange(
  { sum, isCompleted }: CountedDay,
  { before, after }: SumChange,
  target: number | null,
): CountedDay | "gone" {
  const amount = (sum?.amount ?? 0) + (before?.amount ?? 0) - (after?.amount ?? 0);
  const isOwnTarget = sum ? sum.target === after?.target : !isCompleted;
  const counts = (isOwnTarget ? before?.target : undefined) ?? sum?.target ?? (isCompleted ? 0 : target);
  return amount < 0 || counts === null ? "gone" : withTarget(amount, counts);
}

const withTarget = (amount: number, target: number): CountedDay => ({
  sum: amount > 0 ? { amount, target } : undefined,
  isCompleted: amount >= target,
});
