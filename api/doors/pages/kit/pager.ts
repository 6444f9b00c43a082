import { type Html, html } from "../../../../shared/html.ts";
import { withoutPage } from "./filter-fields.ts";

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
