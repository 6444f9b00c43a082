import { safeNext } from "../../../shared/web/redirect.ts";
import type { Guest } from "../visit/context.ts";

/** In the address of a page: what became of the last tick, for the note at the bottom. */
export const noteParameter = "tick";

/** The page that a form was on, at the element named by `place`, with a note. */
export function notedPage(
  { site }: Pick<Guest, "site">,
  form: URLSearchParams,
  note: string,
  place: string,
): string {
  const url = new URL(safeNext(site, form.get("from")), site.origin);
  url.searchParams.set(noteParameter, note);
  return `${url.pathname}${url.search}#${encodeURIComponent(place)}`;
}
