import { isObject, parseJson } from "../../body.ts";
import { type Html, html } from "../../html.ts";

/** A call's arguments: whatever the caller sent, so nothing in them may be relied on. */
export type Args = Readonly<Record<string, unknown>>;

export function readArgs(json: string): Args {
  const value = parseJson(json);
  return isObject(value) ? value : {};
}

const longest = 80;

/** The text of an argument, short enough for a sentence; undefined when it is none. */
export function textIn(args: Args, name: string): string | undefined {
  const value = args[name];
  return value === undefined ? undefined : shorten(typeof value === "string" ? value : JSON.stringify(value));
}

export function idIn(args: Args, name: string): number | undefined {
  const id = args[name];
  return typeof id === "number" && Number.isSafeInteger(id) ? id : undefined;
}

/** Somebody else's words within ours: set apart, and unable to turn the text around them. */
export function quote(value: unknown): Html {
  if (value === undefined) return html`without a name`;
  return html`<q><bdi>${shorten(typeof value === "string" ? value : JSON.stringify(value))}</bdi></q>`;
}

function shorten(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  const characters = [...line];
  return characters.length > longest ? `${characters.slice(0, longest).join("")}…` : line;
}
