import { type Html, html } from "../../../shared/web/html.ts";

/** Small facts about an item in one line, without those that are null. */
export function facts(list: readonly (Html | string | number | null)[]): Html {
  const known = list.filter((fact) => fact !== null);
  return html`<p class="quiet small line">${known.map((fact) => html`<span>${fact}</span>`)}</p>`;
}
