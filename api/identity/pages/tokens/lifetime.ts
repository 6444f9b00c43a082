import { addDays, dayNumber, localDay, resolveLocalTime } from "../../../../shared/domain/day/day.ts";
import { type Html, html } from "../../../../shared/html.ts";
import { type Option, selectField } from "../../../web/form/form-fields.ts";

/** Lifetimes of a token in days, with their labels. A form also takes a date. */
const lifetimes = new Map([
  ["7", "7 days"],
  ["30", "30 days"],
  ["90", "90 days"],
  ["365", "1 year"],
  ["3650", "10 years"],
]);
const maxDays = 3_650;
const secondsPerDay = 24 * 60 * 60;

/** The end of a token in a form: one of the lifetimes, or `date` with a last day. */
export type Lifetime = Readonly<{ choice: string; date: string }>;

export const lifetimeOf = (form: URLSearchParams): Lifetime => ({
  choice: form.get("days") ?? "",
  date: form.get("date") ?? "",
});

/** @returns the end in epoch seconds; undefined when the form names no allowed end */
export function chosenEnd({ choice, date }: Lifetime, timeZone: string): number | undefined {
  const now = Math.floor(Date.now() / 1_000);
  if (choice !== "date") return lifetimes.has(choice) ? now + Number(choice) * secondsPerDay : undefined;
  if (!isDate(date) || dayNumber(date) > now / secondsPerDay + maxDays + 1) return undefined;
  // The last day counts whole.
  const end = resolveLocalTime(`${addDays(date, 1)}T00:00:00`, timeZone) / 1_000;
  return end > now ? end : undefined;
}

export const endProblem = "Choose when the token ends: at most ten years from now.";

const isDate = (text: string): boolean =>
  /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)) && addDays(text, 0) === text;

type EndFields = Readonly<{ chosen: Lifetime; timeZone: string; label: string; first?: Option }>;

/** A choice of lifetimes, and a date that counts if it is chosen; `first` is an option before them. */
export function endFields({ chosen, timeZone, label, first }: EndFields): Html {
  const today = localDay(Date.now(), timeZone, 0);
  const options = [
    ...(first ? [first] : []),
    ...[...lifetimes].map(([value, text]) => ({ value, label: text })),
    { value: "date", label: "On a date of my choice" },
  ];
  return html`<div class="ending">${selectField({ name: "days", label, value: chosen.choice, options })}
    <div class="field on-date"><label for="date">Last day</label>
    <input type="date" id="date" name="date" value="${chosen.date}" min="${today}" max="${addDays(today, maxDays)}">
    </div></div>`;
}
