import type { FieldErrors, Refusal } from "../errors.ts";
import { addDays } from "./day.ts";

/** The dates of the examples in refusals, as documents show them. */
export const exampleDate = "2026-11-20";
export const exampleDayAfter = "2026-11-21";
export const exampleUntil = "20261231";

/** Whether a refusal shows an example of a date. */
export const hasExampleDate = ({ message, errors }: Refusal): boolean =>
  [exampleDate, exampleDayAfter, exampleUntil].some((date) =>
    [message, ...Object.values(errors ?? {}).flat()].some((sentence) => sentence.includes(date)),
  );

/** The refusal with examples that fit the user's day, because callers copy them. */
export function withPresentExamples(refusal: Refusal, today: string): Refusal {
  if (!hasExampleDate(refusal)) return refusal;
  const present = (sentence: string) =>
    sentence
      .replaceAll(exampleDate, today)
      .replaceAll(exampleDayAfter, addDays(today, 1))
      .replaceAll(exampleUntil, `${today.slice(0, 4)}1231`);
  const errors: FieldErrors = Object.fromEntries(
    Object.entries(refusal.errors ?? {}).map(([name, sentences]) => [name, sentences.map(present)]),
  );
  return { ...refusal, message: present(refusal.message), ...(refusal.errors && { errors }) };
}
