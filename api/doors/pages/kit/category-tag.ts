import { type Html, html } from "../../../../shared/html.ts";

/** A category's name after a dot in its colour. */
export function categoryTag(category: { name: string; color: string } | null): Html | null {
  return (
    category &&
    html`<span class="category"><svg viewBox="0 0 10 10" aria-hidden="true"><circle
      cx="5" cy="5" r="5" fill="${category.color}"/></svg>${category.name}</span>`
  );
}
