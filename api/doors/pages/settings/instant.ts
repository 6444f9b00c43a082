import { localTime } from "../../../../shared/domain/day/day.ts";
import { type Html, html } from "../../../../shared/html.ts";
import { sayWallTime } from "../kit/dates.ts";

/** An instant (RFC 3339) in a zone: `Mon 23 Nov 09:00`. */
export function sayInstant(instant: string, timeZone: string): Html {
  const minute = localTime(Date.parse(instant), timeZone).slice(0, 16);
  const today = localTime(Date.now(), timeZone).slice(0, 10);
  return html`<time datetime="${instant}">${sayWallTime(`${minute}:00`, today)}</time>`;
}
