import { describeAction } from "../../../api/doors/pages/action/words/describe.ts";
import { wordsInHtml } from "../../../api/doors/pages/action/words/words.ts";
import type { OutputOf, Queries } from "../../../shared/contracts/catalogue.ts";
import { markup } from "../../../shared/html.ts";

type LoggedRow = OutputOf<Queries["action.list"]>["actions"][number];
type Names = Parameters<typeof describeAction>[1]["names"];

/** A row of the action log; what is not given is that of a call that succeeded and changed nothing. */
export const loggedRow = (given: Partial<LoggedRow> = {}): LoggedRow => ({
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

/** What the page tells of a row in Berlin in November 2026, as markup without links. */
export function told(given: Partial<LoggedRow>, names: Partial<Names> = {}): string {
  const known = { habits: new Map(), todos: new Map(), categories: new Map(), ...names };
  const { words } = describeAction(loggedRow(given), { names: known, timeZone: "Europe/Berlin" });
  return markup(wordsInHtml(words, { today: "2026-11-22", addressOf: () => undefined }));
}
