import { type Html, html } from "../../../shared/web/html.ts";

const longest = 80;

/** Shows a caller's words within ours: short, in quotation marks, and unable to turn the direction of the text around them. */
export function quote(value: unknown): Html {
  if (value === undefined) return html`without a name`;
  if (typeof value === "number") return html`${value}`;
  if (typeof value !== "string") return html`(no text)`;
  return html`<q><bdi>${shorten(value)}</bdi></q>`;
}

function shorten(text: string): string {
  // An emoji is more than one unit of a string, so the first cut leaves room for the second.
  const line = text
    .slice(0, longest * 10)
    .replace(/\s+/g, " ")
    .trim();
  const characters = [...line];
  const isLong = characters.length > longest || text.length > longest * 10;
  return isLong ? `${characters.slice(0, longest).join("")}…` : line;
}
