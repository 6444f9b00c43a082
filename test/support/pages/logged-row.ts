import { describeAction } from "../../../api/doors/pages/action/narrator.ts";
import { wordsInHtml } from "../../../api/doors/pages/action/words.ts";
import type { LoggedAction } from "../../../shared/contracts/action/contracts.ts";
import { markup } from "../../../shared/html.ts";

/** A row of the action log; absent columns are those of a successful call without changes. */
export const loggedRow = (given: Partial<LoggedAction> = {}): LoggedAction => ({
  request_id: crypto.randomUUID(),
  called_at: "2026-11-21T09:00:00.000000Z",
  door: "mcp",
  token_id: "token",
  client_name: null,
  tool: "update-todo",
  arguments: "{}",
  outcome: "ok",
  message: null,
  resource_kind: null,
  resource_id: null,
  resource_name: null,
  before: null,
  after: null,
  undone_by: null,
  replayed: false,
  calls: 1,
  duration_ms: 0,
  ...given,
});

/** The page's text for a row in Berlin in November 2026, as markup without links. */
export function told(given: Partial<LoggedAction>, names: ReadonlyMap<string, string> = new Map()): string {
  const { sentence } = describeAction(loggedRow(given), { names, timeZone: "Europe/Berlin" });
  return markup(wordsInHtml(sentence, "2026-11-22"));
}
