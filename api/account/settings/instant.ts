import { localTime } from "../../../shared/domain/day.ts";
import { type Html, html } from "../../../shared/web/html.ts";

/** An instant (RFC 3339) in a zone: `2026-11-23 09:00`. */
export function sayInstant(instant: string, timeZone: string): Html {
  const local = localTime(Date.parse(instant), timeZone);
  return html`<time datetime="${instant}">${local.replace("T", " ").slice(0, 16)}</time>`;
}
