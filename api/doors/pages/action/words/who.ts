import { type Html, html } from "../../../../../shared/html.ts";
import type { LoggedRow } from "./logged-row.ts";

type Caller = Pick<LoggedRow, "client_name" | "token_id">;

/** The name of the token or app that called, else the beginning of the token's id. */
export const nameOf = ({ client_name, token_id }: Caller): string =>
  client_name ?? `Token ${token_id.slice(0, 8)}`;

/** Who did it, and by which way. */
export function byWhom(row: Pick<LoggedRow, "door" | "tool"> & Caller): Html {
  if (row.door === "page") return html`You, on ${row.tool.startsWith("action.") ? "this" : "the Today"} page`;
  return html`<strong>${nameOf(row)}</strong> over ${row.door === "rest" ? "REST" : "MCP"}`;
}
