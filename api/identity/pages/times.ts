import { type Html, html } from "../../../shared/html.ts";

/** An instant as the person's clock shows it, to the minute. */
export function timeIn(timeZone: string, epochMs: number): Html {
  const at = new Date(epochMs);
  return html`<time datetime="${at.toISOString()}">${formatIn(timeZone).format(at)}</time>`;
}

const newFormat = (timeZone: string) =>
  new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short", timeZone });

let last = { timeZone: "UTC", format: newFormat("UTC") };

/** The last format is kept: making one takes fifty times as long as using it, and a page uses dozens. */
function formatIn(timeZone: string): Intl.DateTimeFormat {
  if (last.timeZone !== timeZone) last = { timeZone, format: newFormat(timeZone) };
  return last.format;
}
