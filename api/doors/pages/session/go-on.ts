import { safeNext } from "../../../web/redirect.ts";
import type { Visit } from "./context.ts";

/** Parameters of a page's address with the log key of the last action: one just done, or one just undone. */
export const [doneParameter, undoneParameter] = ["did", "undid"];

/** The page that a form leads back to, without parameters about earlier actions. */
export function hereWithoutNotes({ url }: Pick<Visit, "url">): string {
  const here = new URL(url);
  for (const name of [doneParameter, undoneParameter, "note", "tick", "decided"])
    here.searchParams.delete(name);
  return `${here.pathname}${here.search}`;
}

type Key = Readonly<{ called_at: string; request_id: string }>;

/** The address of a page that names the last action and offers to undo it, or shows the result of that undo. */
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
