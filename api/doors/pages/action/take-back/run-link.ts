import { type Html, html } from "../../../../../shared/html.ts";
import { runPath } from "../paths.ts";

/** Leads from the list of what one token did to taking all of it back, from the list's beginning on. */
export function runLink(chosen: URLSearchParams): Html | undefined {
  const token_id = chosen.get("token_id");
  if (!token_id) return undefined;
  const from = chosen.get("from");
  const params = new URLSearchParams({ token_id, ...(from && { since: `${from}T00:00` }) });
  return html`<p><a href="${runPath}?${params.toString()}">Take back all that it changed…</a></p>`;
}
