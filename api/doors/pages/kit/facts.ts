import { type Html, html } from "../../../../shared/html.ts";

/** Small facts about an item in one line; null ones are left out. */
export function facts(list: readonly (Html | string | number | null)[]): Html {
  const known = list.filter((fact) => fact !== null);
  // The separators are text, so that copied text contains them.
  return html`<p class="quiet small line">${known.map((fact, index) => html`${index > 0 && " · "}<span>${fact}</span>`)}</p>`;
}
