import { type Html, html } from "../../../../shared/html.ts";
import type { Option } from "../../../web/form/form-fields.ts";

export type FilterChoice = readonly [value: string, label: string];

export const optionsOf = (choices: readonly FilterChoice[]): Option[] =>
  choices.map(([value, label]) => ({ value, label }));

type Field = Readonly<{ name: string; label: string }>;

/** An input of a filter form with the value from the address. */
export const filterInput = (
  type: "search" | "date" | "text",
  { name, label }: Field,
  chosen: URLSearchParams,
): Html =>
  html`<div class="${type}"><label for="${name}">${label}</label>
    <input type="${type}" id="${name}" name="${name}" value="${chosen.get(name) ?? ""}" maxlength="255"${type === "search" && html` placeholder="${label}"`}></div>`;

/** @param usual the label for no choice */
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

/**
 * One line that searches; the other filters and the order are folded in it, unless one is chosen.
 * @param fields the inputs besides the search
 */
export function foldedFilters(path: string, chosen: URLSearchParams, fields: readonly Html[]): Html {
  const isOpen = [...chosen.keys()].some((name) => name !== "q");
  return html`<form method="get" action="${path}" class="find" role="search">
    ${filterInput("search", { name: "q", label: "Search" }, chosen)}
    <details${isOpen && html` open`}><summary>Filters</summary><div class="filters">${fields}</div></details>
    <button class="plain">Show</button>
    ${chosen.size > 0 && html`<a href="${path}">Show all</a>`}</form>`;
}

/** The chosen order of a list; undefined for the usual one. */
export const chosenSort = <Sort extends string>(chosen: URLSearchParams, sorts: readonly Sort[]) =>
  sorts.find((known) => known === chosen.get("sort"));

/** True if only the order of a list is chosen, so that it shows everything. */
export const isWhole = (chosen: URLSearchParams): boolean => chosen.keys().every((name) => name === "sort");

/** The named parameters of an address that are not empty, because a form sends empty ones too. */
export const chosenFilters = (url: URL, names: readonly string[]): URLSearchParams =>
  new URLSearchParams(
    [...url.searchParams].filter(([name, value]) => names.includes(name) && value.trim() !== ""),
  );

/** Filters without the page, because changed filters start at page 1. */
export const withoutPage = (chosen: URLSearchParams): URLSearchParams =>
  new URLSearchParams([...chosen].filter(([name]) => name !== "page"));

export const categoryChoices = (
  categories: readonly Readonly<{ id: number; name: string }>[],
): readonly FilterChoice[] =>
  categories.toSorted((a, b) => a.name.localeCompare(b.name)).map(({ id, name }) => [String(id), name]);

type PageLinks = Readonly<{ path: string; chosen: URLSearchParams; page: number; lastPage: number }>;

/** Links to the previous and next page, which keep the filters; nothing if there is only one page. */
export function pager({ path, chosen, page, lastPage }: PageLinks): Html | null {
  if (lastPage <= 1 && page === 1) return null;
  const address = (target: number): string => {
    const query = withoutPage(chosen);
    if (target > 1) query.set("page", String(target));
    return query.size === 0 ? path : `${path}?${query}`;
  };
  const before = Math.min(page - 1, lastPage);
  return html`<nav class="pager" aria-label="Pages">
    ${page > 1 && html`<a href="${address(before)}" rel="prev">Previous</a>`}
    <span class="quiet">Page ${page} of ${lastPage}</span>
    ${page < lastPage && html`<a href="${address(page + 1)}" rel="next">Next</a>`}</nav>`;
}
