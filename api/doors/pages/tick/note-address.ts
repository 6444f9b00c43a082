import { safeNext } from "../../../web/redirect.ts";
import type { Guest } from "../session/context.ts";

/** The parameter of a page's address with the result of the last tick, for the note at the bottom. */
export const noteParameter = "tick";

/** Notes by result of a tick. Other results have a page of their own. */
export const told: ReadonlyMap<string, string> = new Map([
  ["undone", "Taken back."],
  ["stays", "It was changed since, so it stays as it is. Actions has the whole story."],
  ["already", "That was so already."],
  ["not_found", "It is not there any more."],
  ["invalid", "That day can no longer be changed."],
]);

/** The page of a form, at the element named by `place`, with a note. */
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
