import { type Html, html } from "../../../../../shared/html.ts";

const usual = 80;
type Quoting = Readonly<{ longest?: number; address?: string | undefined }>;

/**
 * Shows a caller's words within ours: short, in quotation marks, and unable to turn the direction of the text around them.
 * @param address where the words lead; ours, never a caller's
 */
export function quote(value: unknown, { longest = usual, address }: Quoting = {}): Html {
  if (typeof value !== "string") return html`${quoteInText(value)}`;
  const text = html`<bdi>${shorten(value, longest)}</bdi>`;
  return html`<q>${address === undefined ? text : html`<a href="${address}">${text}</a>`}</q>`;
}

/** The same without markup. */
export function quoteInText(value: unknown): string {
  if (value === undefined) return "without a name";
  if (typeof value === "number") return String(value);
  return typeof value === "string" ? `“${shorten(value, usual)}”` : "(no text)";
}

/** On one line, and without the quotation marks that are ours: a text that closed them could go on in our name. */
function shorten(text: string, longest: number): string {
  // An emoji is more than one unit of a string, so the first cut leaves room for the second.
  const line = text
    .slice(0, longest * 10)
    .replace(/[“”„‟]/g, '"')
    .replace(/\s+/g, " ")
    .trim();
  const characters = [...line];
  const isLong = characters.length > longest || text.length > longest * 10;
  return isLong ? `${characters.slice(0, longest).join("")}…` : line;
}
