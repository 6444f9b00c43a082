import type { LoggedAction } from "../../../../shared/contracts/action/contracts.ts";
import { own, selectFrom, statements } from "../../../../shared/db/reads/statement.ts";
import { importer, nameOfAuthor, storedAuthor } from "../../../../shared/domain/author.ts";
import { localTime } from "../../../../shared/domain/day/day.ts";
import { sayDated } from "../../../../shared/domain/day/say-date.ts";
import { type ResourceKind, tableOf } from "../../../../shared/domain/vocabulary.ts";
import { type Html, html } from "../../../../shared/html.ts";
import { printable } from "../../../http/input.ts";
import { type QueryContext, readDaySettings } from "../../../queries/engine/context.ts";
import { locale } from "../../../web/locale.ts";
import { sayWallTime } from "../kit/words.ts";

/** The addresses of the list of actions and of its forms. */
export const actionsPath = "/account/actions";
export const undoPath = `${actionsPath}/undo`;
export const choosePath = `${actionsPath}/choose`;
export const runPath = `${actionsPath}/run`;
export const forgetPath = `${actionsPath}/forget`;

/** The addresses of the requests that wait for approval, and of the rules of tokens. */
export const approvalsPath = "/account/approvals";
export const agentsPath = "/account/agents";

/**
 * A part of a sentence of the log: Kept's own words, a date, a wall time of the user, a text that somebody wrote, or the
 * name of a thing by its row, such as `todos/5`.
 */
export type Word =
  | string
  | Readonly<{ date: string }>
  | Readonly<{ wallTime: string }>
  | Readonly<{ quoted: unknown }>
  | Readonly<{ name: string; thing: string }>;

/** The things that have a page to link to. */
type Linked = Pick<ReadonlySet<string>, "has">;

export const wordsInHtml = (words: readonly Word[], today: string, linked: Linked = new Set()): Html =>
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
  ...reading: readonly [today: string, linked?: Linked]
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
  return all.flatMap((item, index) =>
    index === 0 ? item : [index === all.length - 1 ? " and " : ", ", ...item],
  );
}

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
  const part = text.slice(0, longest * 10);
  const characters = [
    ...part
      .replace(/[“”„‟]/g, '"')
      .replace(/\s+/g, " ")
      .trim(),
  ];
  const isLong = characters.length > longest || text.length > part.length;
  return isLong ? `${characters.slice(0, longest).join("")}…` : characters.join("");
}

/** The user's zone and its present date; days of the log go from midnight to midnight. */
export type Day = Readonly<{ timeZone: string; today: string }>;

export async function readLogDay(query: QueryContext): Promise<Day> {
  const { timeZone } = await readDaySettings(query);
  return { timeZone, today: localTime(query.now, timeZone).slice(0, 10) };
}

/** The wall time of an action in the user's zone. */
export const localTimeOf = ({ called_at }: Pick<LoggedAction, "called_at">, timeZone: string): string =>
  localTime(Date.parse(called_at), timeZone);

type Caller = Pick<LoggedAction, "client_name" | "token_id">;

/** The name of the calling token or app, or the beginning of the token's id. */
export const nameOfCaller = ({ client_name, token_id }: Caller): string =>
  client_name ?? `Token ${token_id.slice(0, 8)}`;

/** Tells who made a thing and who changed it last, and leads to all that was done to it. */
export async function authorship(query: QueryContext, kind: ResourceKind, id: number): Promise<Html> {
  const { created_by, changed_by } = (await query.rows(authorsOf(kind, { id })))[0] ?? {};
  return html`<p class="links"><span class="quiet">Made by ${author(created_by)}, last changed by ${author(changed_by)}.</span>
    <a href="${actionsPath}?thing=${kind}/${id}">History</a></p>`;
}

/** An app chooses its name itself, so that is quoted. */
function author(stored: string | null | undefined): Html | string {
  if (stored === storedAuthor(importer)) return "an import";
  const name = nameOfAuthor(stored);
  return name === null ? "you" : html`<q><bdi>${name}</bdi></q>`;
}

/** The maker of a thing and the last to change it, as rows have them. */
const authorsOf = statements({ id: "bigint" }, (value, kind: ResourceKind) =>
  selectFrom(own(tableOf[kind]).as("t"))
    .select(["t.created_by", "t.changed_by"])
    .where("t.id", "=", value("id")),
);
