import type { Phrase } from "../../../../../shared/contracts/kernel/tool-sentence.ts";
import type { ResourceKind } from "../../../../../shared/domain/vocabulary.ts";
import { type Html, html } from "../../../../../shared/html.ts";
import { printable } from "../../../../web/printable.ts";
import { sayDated, sayWallTime } from "../../kit/dates.ts";
import { quote, quoteInText } from "./quote.ts";

export type Thing = Readonly<{ kind: ResourceKind; id: number }>;

/** A part of a sentence as the log tells it: also the name of a thing, and a wall time of the user. */
export type Word = Phrase | Readonly<{ name: string; thing: Thing }> | Readonly<{ wallTime: string }>;

/** The user's present date, and where a thing is shown, if it is. */
type Reading = Readonly<{ today: string; addressOf(thing: Thing): string | undefined }>;

export const wordsInHtml = (words: readonly Word[], reading: Reading): Html =>
  html`${words.map((word) => wordInHtml(word, reading))}`;

function wordInHtml(word: Word, { today, addressOf }: Reading): Html | string {
  if (typeof word === "string") return word;
  if ("quoted" in word) return quote(word.quoted);
  if (!("name" in word)) return wordInText(word, today);
  return quote(word.name, { address: addressOf(word.thing) });
}

/** The sentence for terminals and files. */
export const wordsInText = (words: readonly Word[], today: string): string =>
  printable(words.map((word) => wordInText(word, today)).join(""));

function wordInText(word: Word, today: string): string {
  if (typeof word === "string") return word;
  if ("date" in word) return sayDated(word.date, today);
  if ("wallTime" in word) return sayWallTime(word.wallTime, today);
  return quoteInText("name" in word ? word.name : word.quoted);
}

/** `a, b and c`, of which the first three are named. */
export function listed(items: readonly (readonly Word[])[], most = 3): readonly Word[] {
  const named = items.length > most + 1 ? items.slice(0, most) : items;
  const more = items.length - named.length;
  const all = more > 0 ? [...named, [`${more} more`]] : named;
  return all.flatMap((item, index) => {
    const isLast = index === all.length - 1;
    return index === 0 ? item : [isLast ? " and " : ", ", ...item];
  });
}
