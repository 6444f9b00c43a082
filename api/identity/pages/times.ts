import { type Html, html } from "../../../shared/html.ts";
import { locale } from "../../web/locale.ts";

/** An instant as the person's clock shows it, to the minute. */
export function timeIn(timeZone: string, epochMs: number): Html {
  const at = new Date(epochMs);
  return html`<time datetime="${at.toISOString()}">${formatIn(timeZone, locale()).format(at)}</time>`;
}

const newFormat = (timeZone: string, language: string) =>
  new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short", timeZone });

let last = { timeZone: "UTC", language: "en-GB", format: newFormat("UTC", "en-GB") };

/** The last format is kept: making one takes fifty times as long as using it, and a page uses dozens. */
function formatIn(timeZone: string, language: string): Intl.DateTimeFormat {
  if (last.timeZone !== timeZone || last.language !== language)
    last = { timeZone, language, format: newFormat(timeZone, language) };
  return last.format;
}
