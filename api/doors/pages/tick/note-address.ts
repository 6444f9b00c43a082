import { safeNext } from "../../../web/redirect.ts";
import type { Guest } from "../session/context.ts";

/** The parameter of a page's address with the result of the last tick, for the note at the bottom. */
export const noteParameter = "tick";

/** Notes by result of a tick. Other results have a page of their own. */
export const resultNotes: ReadonlyMap<string, string> = new Map([
  ["undone", "Taken back."],
  ["stays", "It was changed since, so it stays as it is. Actions has the whole story."],
  ["already", "That was so already."],
  ["unchanged", "Nothing was changed."],
  ["not_found", "It is not there any more."],
  ["invalid", "That day can no longer be changed."],
]);

/** The results that can be undone, by the first word of a note. */
export const verbs: ReadonlyMap<string, string> = new Map([
  ["done", "Done"],
  ["undone", "Not done"],
  ["skipped", "Skipped"],
  ["unskipped", "Not skipped any more"],
  ["paused", "Paused for a week"],
  ["archived", "Archived"],
  ["resumed", "Brought back"],
  ["added", "Added"],
  ["made", "Added"],
  ["today", "Moved to today"],
  ["tomorrow", "Moved to tomorrow"],
  ["week", "Moved to next week"],
  ["edited", "Changed"],
]);

type Key = Readonly<{ called_at: string; request_id: string }>;

/** A result that can be undone, and the log key of its change. */
export type Note = Readonly<{ verb: string; key: Key }>;

/** A result as a parameter: `done_2026-11-23T09:00:00.000Z_ID`. */
export const noteOf = ({ verb, key }: Note): string => `${verb}_${key.called_at}_${key.request_id}`;

/** @returns undefined for a parameter of another form */
export function parseNote(text: string): Note | undefined {
  const [, verb = "", called_at = "", request_id = ""] =
    /^([a-z]+)_([\d:.TZ-]+)_([\da-f-]+)$/.exec(text) ?? [];
  return verbs.has(verb) ? { verb, key: { called_at, request_id } } : undefined;
}

/** The page of a form, at the element named by `anchor`, with a note. */
export function notedPage(
  { site }: Pick<Guest, "site">,
  form: URLSearchParams,
  note: string,
  anchor: string,
): string {
  const url = new URL(safeNext(site, form.get("from")), site.origin);
  url.searchParams.set(noteParameter, note);
  return `${url.pathname}${url.search}#${encodeURIComponent(anchor)}`;
}
