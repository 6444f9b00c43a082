import { listActions } from "../../../../../shared/contracts/action/contracts.ts";
import type { InputOf, Queries } from "../../../../../shared/contracts/catalogue.ts";
import { isCalendarDate } from "../../../../../shared/contracts/kernel/text.ts";
import { addDays, resolveLocalTime } from "../../../../../shared/domain/day/day.ts";
import { examples } from "../../../../../shared/domain/day/example-dates.ts";
import type { ActionKind } from "../../../../../shared/domain/vocabulary.ts";
import { type FieldErrors, invalid, isRefused, type Refused } from "../../../../../shared/errors.ts";
import { queryFields } from "../../../../http/input/query-fields.ts";
import { validate } from "../../../../http/input/validate.ts";
import { isRequestId } from "../../../../queries/action/filters.ts";

/** What the parameter `show` can be, in the words of the form; without it, changes and refusals. */
export const shownKinds = [
  ["changes", "Changes"],
  ["refusals", "Refusals"],
  ["reads", "Only looked at"],
  ["all", "Everything"],
] as const;

const kindsOf = new Map<string | null, readonly ActionKind[] | undefined>([
  ["changes", ["change"]],
  ["refusals", ["refusal"]],
  ["reads", ["read"]],
  ["all", undefined],
]);

export type ActionsFilter = Readonly<{
  input: Omit<InputOf<Queries["action.list"]>, "limit">;
  /** Whether the reads of each day are told in few words beside what is listed. */
  foldsReads: boolean;
}>;

/** The parameters of an address that say something: a form sends empty ones for what was not chosen. */
export const chosenIn = (url: URL): URLSearchParams =>
  new URLSearchParams([...url.searchParams].filter(([, value]) => value.trim() !== ""));

/** The filters in an address: those of the query, `show`, and the user's days `from` and `to`, both included. */
export function readFilters(chosen: URLSearchParams, timeZone: string): ActionsFilter | Refused {
  const { from, to, ...fields } = queryFields(listActions.input, chosen);
  delete fields.limit;
  const namesRequest = typeof fields.q === "string" && isRequestId(fields.q);
  const isUsual = !kindsOf.has(chosen.get("show")) && fields.tool === undefined && !namesRequest;
  const kinds = isUsual ? (["change", "refusal"] as const) : kindsOf.get(chosen.get("show"));
  const wrong = wrongDates({ from, to });
  if (wrong) return invalid(wrong);
  const validated = validate(listActions, {
    ...fields,
    ...(typeof from === "string" && { from: beginningOf(within(from), timeZone) }),
    ...(typeof to === "string" && { to: beginningOf(addDays(within(to), 1), timeZone) }),
    ...(kinds && { kinds }),
  });
  return isRefused(validated) ? validated : { input: validated.input, foldsReads: isUsual };
}

function wrongDates(dates: Readonly<Record<string, unknown>>): FieldErrors | undefined {
  const wrong = Object.entries(dates).filter(
    ([, date]) => date !== undefined && !(typeof date === "string" && isCalendarDate(date)),
  );
  if (wrong.length === 0) return undefined;
  return Object.fromEntries(wrong.map(([name]) => [name, [`The ${name} field must be ${examples.date}.`]]));
}

/** Nothing was logged outside these dates, and instants far away cannot be written. */
const [firstDate, lastDate] = ["2000-01-01", "9000-01-01"];
const within = (date: string): string => (date < firstDate ? firstDate : date > lastDate ? lastDate : date);

const beginningOf = (date: string, timeZone: string): string =>
  new Date(resolveLocalTime(`${date}T00:00`, timeZone)).toISOString();
