import { numbers } from "../../../../shared/domain/todo/quick-add-words.ts";
import { wordChoice } from "./phrase.ts";

const units: Readonly<Record<string, "days" | "weeks" | "months" | "years" | undefined>> = {
  d: "days",
  w: "weeks",
  m: "months",
  y: "years",
};

/** The pattern of `3 days`, `a week` and `2w`, with its groups `many` and `unit`. */
export const amount = `(?<many>\\d{1,4}|an?|a couple of|${wordChoice(numbers.keys())})(?: (?<unit>day|week|month|year)s?|(?<=\\d)(?<unit>[dwy]))`;

/** A number in digits or words; `a` is one. */
export const numberSaid = (many = ""): number =>
  /^\d+$/.test(many) ? Number(many) : /^an?$/i.test(many) ? 1 : (numbers.get(many.toLowerCase()) ?? 2);

export const spanOf = (many: string | undefined, unit = "d"): Temporal.DurationLike => ({
  [units[unit.slice(0, 1).toLowerCase()] ?? "days"]: numberSaid(many),
});
