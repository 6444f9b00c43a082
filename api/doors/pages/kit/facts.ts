import { type Html, html } from "../../../../shared/html.ts";

/** Small facts about an item in one line, without those that are null. */
export function facts(list: readonly (Html | string | number | null)[]): Html {
  const known = list.filter((fact) => fact !== null);
  // The separators are text, so that they are there in what is copied, too.
  return html`<p class="quiet small line">${known.map((fact, index) => html`${index > 0 && " · "}<span>${fact}</span>`)}</p>`;
}
