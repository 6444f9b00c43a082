import type { Refusal } from "../../errors.ts";
import { addDays } from "./day.ts";

const examplesOn = (today: string) => ({
  date: `a real date such as ${today}`,
  time: `a time such as ${addDays(today, 1)}T09:00:00+01:00, or ${addDays(today, 1)}T09:00 in the user's own zone`,
  until: `a date such as ${today.slice(0, 4)}1231 in UNTIL`,
});

/** Examples in documents, and in refusals that no user sees. */
export const examples = examplesOn("2026-11-20");

/** Matches a whole sentence of Kept about a field, because other sentences contain dates of the user's own things. */
const demand = /^(The \w+ field must (?:be|have) )(.*?)(\.(?: \(and \d+ more errors?\))?)$/;

/** The sentence with the example of that day; undefined without an example. */
function present(sentence: string, now: typeof examples): string | undefined {
  const [, begin, shown, end] = demand.exec(sentence) ?? [];
  const name = exampleNames.find((known) => examples[known] === shown);
  return name && `${begin}${now[name]}${end}`;
}

const exampleNames = ["date", "time", "until"] as const;

/** True if a refusal shows an example of a date. */
export const hasExampleDate = ({ message, errors }: Refusal): boolean =>
  [message, ...Object.values(errors ?? {}).flat()].some((sentence) => present(sentence, examples));

/** The refusal with examples that fit the user's day, because callers copy them. */
export function withPresentExamples(refusal: Refusal, today: string): Refusal {
  if (!hasExampleDate(refusal)) return refusal;
  const now = examplesOn(today);
  const dated = (sentence: string) => present(sentence, now) ?? sentence;
  const errors = Object.entries(refusal.errors ?? {}).map(([name, all]) => [name, all.map(dated)]);
  return {
    ...refusal,
    message: dated(refusal.message),
    ...(refusal.errors && { errors: Object.fromEntries(errors) }),
  };
}
