import type { Names, Phrase } from "../../../../../shared/contracts/kernel/tool-sentence.ts";
import { sayDated } from "../../../../../shared/domain/day/say-date.ts";
import { type Html, html } from "../../../../../shared/html.ts";
import { printable } from "../../../../http/printable.ts";
import { locale } from "../../../../web/locale.ts";
import { sayWallTime } from "../../kit/dates.ts";

/**
 * A part of a sentence of the log: text, a wall time of the user, or the name of a thing by its row, such as
 * `todos/5`.
 */
export type Word = Phrase | Readonly<{ name: string; thing: string }> | Readonly<{ wallTime: string }>;

/** Names and the zone, for the sentences of an action. */
export type Known = Readonly<{ names: Names; timeZone: string }>;

/** @param linked the things that have a page to link to */
export const wordsInHtml = (
  words: readonly Word[],
  today: string,
  linked: Pick<ReadonlySet<string>, "has"> = new Set(),
): Html =>
  html`${words.map((word) => {
    if (typeof word === "string") return word;
    if ("quoted" in word) return quote(word.quoted);
    if (!("name" in word)) return wordInText(word, today);
    const { name, thing } = word;
    return quote(name, linked.has(thing) ? { address: `/account/${thing}` } : {});
  })}`;

/** Sentences as a list; nothing if there are none. */
export const listInHtml = (
  kind: string,
  sentences: readonly (readonly Word[])[],
  ...reading: readonly [today: string, linked?: Pick<ReadonlySet<string>, "has">]
): Html | false =>
  sentences.length > 0 &&
  html`<ul class="${kind}">${sentences.map((words) => html`<li>${wordsInHtml(words, ...reading)}</li>`)}</ul>`;

/** The sentence for terminals and files. */
export const wordsInText = (words: readonly Word[], today: string): string =>
  printable(words.map((word) => wordInText(word, today)).join(""));

function wordInText(word: Word, today: string): string {
  if (typeof word === "string") return word;
  if ("date" in word) return sayDated(word.date, today, locale());
  if ("wallTime" in word) return sayWallTime(word.wallTime, today);
  return quoteInText("name" in word ? word.name : word.quoted);
}

/** `a, b and c`; only the first few are named. */
export function listed(items: readonly (readonly Word[])[], most = 3): readonly Word[] {
  const named = items.length > most + 1 ? items.slice(0, most) : items;
  const more = items.length - named.length;
  const all = more > 0 ? [...named, [`${more} more`]] : named;
  return all.flatMap((item, index) => {
    const isLast = index === all.length - 1;
    return index === 0 ? item : [isLast ? " and " : ", ", ...item];
  });
}

/** `: a, b` */
export const afterColon = (parts: readonly (readonly Word[])[], separator: string): readonly Word[] =>
  parts.flatMap((part, index) => [index === 0 ? ": " : separator, ...part]);

const usual = 80;

/**
 * Shows a caller's words within Kept's: short, in quotation marks, and unable to change the direction of the text
 * around them.
 * @param address where the words lead; never one that a caller chose
 */
export function quote(
  value: unknown,
  { longest = usual, address }: Readonly<{ longest?: number; address?: string }> = {},
): Html {
  if (typeof value !== "string") return html`${quoteInText(value)}`;
  const text = html`<bdi>${shorten(value, longest)}</bdi>`;
  return html`<q>${address === undefined ? text : html`<a href="${address}">${text}</a>`}</q>`;
}

/** The same without markup. */
function quoteInText(value: unknown): string {
  if (value === undefined) return "without a name";
  if (typeof value === "number") return String(value);
  return typeof value === "string" ? `“${shorten(value, usual)}”` : "(no text)";
}

/** One line without curly quotation marks, because a text that closed them could go on in Kept's name. */
function shorten(text: string, longest: number): string {
  // An emoji may be two units of a string, so the first cut leaves room for the second unit.
  const line = text
    .slice(0, longest * 10)
    .replace(/[“”„‟]/g, '"')
    .replace(/\s+/g, " ")
    .trim();
  const characters = [...line];
  const isLong = characters.length > longest || text.length > longest * 10;
  return isLong ? `${characters.slice(0, longest).join("")}…` : line;
}
