import { safeNext } from "../../../web/redirect.ts";
import type { Visit } from "./context.ts";

/** In the address of a page: the action that the person has just done, or tried to take back, by its key in the log. */
export const [doneParameter, undoneParameter] = ["did", "undid"];

/** The page where a form leads back to, without what it said of earlier actions. */
export function hereWithoutNotes({ url }: Pick<Visit, "url">): string {
  const here = new URL(url);
  for (const name of [doneParameter, undoneParameter, "note", "tick"]) here.searchParams.delete(name);
  return `${here.pathname}${here.search}`;
}

type Key = Readonly<{ called_at: string; request_id: string }>;

/** The address of a page that says what was done and offers to take it back, or what became of that. */
export function doneAddress(
  { site }: Pick<Visit, "site">,
  page: string | null,
  key: Key,
  parameter = doneParameter,
): string {
  const url = new URL(safeNext(site, page), site.origin);
  url.searchParams.set(parameter, `${key.called_at}_${key.request_id}`);
  return `${url.pathname}${url.search}`;
}
