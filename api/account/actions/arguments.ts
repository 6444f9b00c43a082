import { type Html, html } from "../../../shared/web/html.ts";

/** The arguments of a tool call. The caller may have sent anything, so nothing in them can be relied on. */
export type Args = Readonly<Record<string, unknown>>;

/** @returns the argument; undefined when it was not sent, also for names that every object has */
export const argument = (args: Args, name: string): unknown =>
  Object.hasOwn(args, name) ? args[name] : undefined;

const longest = 80;

export function textIn(args: Args, name: string): string | undefined {
  const value = argument(args, name);
  return typeof value === "string" ? value : undefined;
}

export function idIn(args: Args, name: string): number | undefined {
  const id = argument(args, name);
  return typeof id === "number" && Number.isSafeInteger(id) ? id : undefined;
}

/** Quotes what somebody else wrote: shortened, and isolated so that it cannot change the direction of our text. */
export function quote(value: unknown): Html {
  if (value === undefined) return html`without a name`;
  if (typeof value === "number") return html`${value}`;
  if (typeof value !== "string") return html`(no text)`;
  return html`<q><bdi>${shorten(value)}</bdi></q>`;
}

function shorten(text: string): string {
  // An emoji is more than one unit of a string, so this first cut leaves more than the one by characters below.
  const line = text
    .slice(0, longest * 10)
    .replace(/\s+/g, " ")
    .trim();
  const characters = [...line];
  const isLong = characters.length > longest || text.length > longest * 10;
  return isLong ? `${characters.slice(0, longest).join("")}…` : line;
}
