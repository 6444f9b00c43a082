import { allScopes, isScope, type Scope, scopes } from "../../../shared/contracts/kernel/scopes.ts";
import { isCalendarDate } from "../../../shared/contracts/kernel/text.ts";
import { addDays, dayNumber, localDay, resolveLocalTime } from "../../../shared/domain/day/day.ts";
import { type Html, html } from "../../../shared/html.ts";
import { choice, type Option, selectField } from "../../web/form/form-fields.ts";
import { scopeFields } from "./fields.ts";

const readScopes = allScopes.filter((scope) => scope.endsWith(":read"));

const presets = [
  { value: "read", scopes: readScopes, label: "Read everything", hint: "It changes nothing." },
  { value: "all", scopes: allScopes, label: "Everything", hint: "Read, create, change and delete." },
] as const;

/** The permissions in a form: a preset, else the ticked boxes. */
export type Permissions = Readonly<{ preset: string; scopes: readonly Scope[] }>;

export const readOnly: Permissions = { preset: "read", scopes: readScopes };

export function permissionsOf(form: URLSearchParams): Permissions {
  const preset = presets.find(({ value }) => value === form.get("preset"));
  return preset
    ? { preset: preset.value, scopes: preset.scopes }
    : { preset: "custom", scopes: form.getAll("scope").filter(isScope) };
}

/** The presets, and the boxes that count if the last preset is chosen. */
export function permissionFields(chosen: Permissions): Html {
  const radio = (value: string, label: string, hint: string) =>
    choice({
      name: "preset",
      value,
      label: html`${label}<span class="quiet small hint">${hint}</span>`,
      isChosen: value === chosen.preset,
    });
  const ticked = chosen.preset === "custom" ? chosen.scopes : [];
  return html`<fieldset class="permissions"><legend>Permissions</legend>
    ${presets.map(({ value, label, hint }) => radio(value, label, hint))}
    ${radio("custom", "Only what I choose", "Permission by permission.")}
    <div class="custom">${scopeFields(allScopes, ticked)}</div></fieldset>`;
}

export function allowedInWords(granted: readonly Scope[]): Html | string {
  if (granted.length === 0) return "Know who you are";
  const isWhole = (all: readonly Scope[]) =>
    all.length === granted.length && granted.every((scope) => all.includes(scope));
  const preset = presets.find((one) => isWhole(one.scopes));
  if (preset) return preset.label;
  return html`<ul class="plain">${granted.map((scope) => html`<li>${scopes[scope]}</li>`)}</ul>`;
}

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
  if (!isCalendarDate(date) || dayNumber(date) > now / secondsPerDay + maxDays + 1) return undefined;
  // The last day counts whole.
  const end = resolveLocalTime(`${addDays(date, 1)}T00:00:00`, timeZone) / 1_000;
  return end > now ? end : undefined;
}

export const endProblem = "Choose when the token ends: at most ten years from now.";

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
