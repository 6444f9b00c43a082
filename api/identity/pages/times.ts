import { type Html, html } from "../../../shared/web/html.ts";

/** An instant as the person's clock shows it, to the minute. */
export function timeIn(timeZone: string, epochMs: number): Html {
  const at = new Date(epochMs);
  const text = at.toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short", timeZone });
  return html`<time datetime="${at.toISOString()}">${text}</time>`;
}
