import { type Html, html } from "../../../../shared/html.ts";

/** Small facts about an item in one line; null ones are left out. */
export function facts(list: readonly (Html | string | number | null)[]): Html {
  const known = list.filter((fact) => fact !== null);
  // The separators are text, so that copied text contains them.
  return html`<p class="quiet small line">${known.map((fact, index) => html`${index > 0 && " · "}<span>${fact}</span>`)}</p>`;
}

/** A category's name after a dot in its colour. */
export function categoryTag(category: { name: string; color: string } | null): Html | null {
  return (
    category &&
    html`<span class="category"><svg viewBox="0 0 10 10" aria-hidden="true"><circle
      cx="5" cy="5" r="5" fill="${category.color}"/></svg>${category.name}</span>`
  );
}
