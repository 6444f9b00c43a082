import { type Html, html } from "../../../../shared/html.ts";

/** A value of a filter and what it is called. */
export type FilterChoice = readonly [value: string, label: string];

type Field = Readonly<{ name: string; label: string }>;

/** An input of a filter form, with what the address has chosen. */
export const filterInput = (
  type: "search" | "date" | "text",
  { name, label }: Field,
  chosen: URLSearchParams,
): Html =>
  html`<div class="${type}"><label for="${name}">${label}</label>
    <input type="${type}" id="${name}" name="${name}" value="${chosen.get(name) ?? ""}" maxlength="255"></div>`;

/** @param usual what is meant by no choice */
export function filterSelect(
  { name, label }: Field,
  choices: readonly FilterChoice[],
  chosen: URLSearchParams,
  usual = "All",
): Html {
  const current = chosen.get(name);
  return html`<div><label for="${name}">${label}</label><select id="${name}" name="${name}">
    <option value="">${usual}</option>${choices.map(
      ([value, text]) =>
        html`<option value="${value}"${value === current && html` selected`}>${text}</option>`,
    )}</select></div>`;
}

/** The named parameters of an address that say something: a form sends empty ones for what was not chosen. */
export const chosenFilters = (url: URL, names: readonly string[]): URLSearchParams =>
  new URLSearchParams(
    [...url.searchParams].filter(([name, value]) => names.includes(name) && value.trim() !== ""),
  );

/** Filters without the page, to begin anew when they change. */
export const withoutPage = (chosen: URLSearchParams): URLSearchParams =>
  new URLSearchParams([...chosen].filter(([name]) => name !== "page"));
