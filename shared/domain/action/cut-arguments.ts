import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";

/** Bytes of arguments (UTF-8) stored in a row of the action log: for a call that ran, and for a refused one. */
export const keptOfRun = 4_096;
export const keptOfRefused = 1_024;

/** Stored beside arguments that were cut: the length of their JSON text as sent, in bytes, and its hash. */
export type Cut = Readonly<{ bytes: number; sha256: string }>;

type Fields = Readonly<Record<string, unknown>>;

/**
 * Arguments as JSON text of at most `max` bytes. They stay as sent if they fit. Otherwise the text is an array of
 * the shortened arguments and the `Cut`. Arguments are never an array, so no caller can imitate a cut.
 */
export function cutArguments(args: Fields, max: number): string {
  const sent = JSON.stringify(args);
  const bytes = Buffer.byteLength(sent);
  if (bytes <= max) return sent;
  return cutTo(args, { bytes, sha256: createHash("sha256").update(sent).digest("hex") }, max);
}

export function cutStored(stored: string, max: number): string {
  if (Buffer.byteLength(stored) <= max) return stored;
  const { args, cut } = readStored(stored);
  return cut ? cutTo(args, cut, max) : cutArguments(args, max);
}

/** The stored arguments of a row; empty if they cannot be parsed. */
export function readStored(stored: string): { args: Fields; cut?: Cut } {
  const value = parse(stored);
  const [args, cut] = Array.isArray(value) ? value : [value];
  if (typeof args !== "object" || args === null) return { args: {} };
  return { args, ...(cut && { cut }) };
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

const mostEntries = 64;
const shortest = 64;

/** Halves the length of every value until all fit; if the shortest length is still too long, drops entries from the end. */
function cutTo(args: Fields, cut: Cut, max: number): string {
  const entries = Object.entries(args).slice(0, mostEntries).map(withText);
  const written = (length: number, count: number): string =>
    JSON.stringify([Object.fromEntries(entries.slice(0, count).map(shortener(length))), cut]);
  for (let length = max / 2; length >= shortest; length /= 2) {
    const text = written(length, entries.length);
    if (Buffer.byteLength(text) <= max) return text;
  }
  for (let count = entries.length - 1; count > 0; count--) {
    const text = written(shortest, count);
    if (Buffer.byteLength(text) <= max) return text;
  }
  return JSON.stringify([{}, cut]);
}

type Entry = Readonly<{ name: string; value: unknown; text: string }>;

/** Lists and objects are shortened as JSON text. */
const withText = ([name, value]: [string, unknown]): Entry => ({
  name: name.slice(0, shortest).toWellFormed(),
  value,
  text: typeof value === "string" ? value : JSON.stringify(value),
});

const shortener =
  (length: number) =>
  ({ name, value, text }: Entry): [string, unknown] => [
    name,
    text.length <= length ? value : `${text.slice(0, length).toWellFormed()}…`,
  ];
