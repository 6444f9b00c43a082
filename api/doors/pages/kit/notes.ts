import { type Html, html } from "../../../../shared/html.ts";
import { icon } from "../../../web/icons.ts";

const address = /(https?:\/\/[^\s<>"]*[^\s<>".,;:!?)\]])/;

/** Text with live links. */
export const linked = (text: string): readonly (Html | string)[] =>
  text
    .split(address)
    .map((part, index) =>
      index % 2 === 1 ? html`<a href="${part}" rel="noopener noreferrer">${part}</a>` : part,
    );

/** A line of a checklist: `- [ ] buy milk`, or `- [x] buy milk` once it is done. */
const box = /^(\s*- \[)([ x])(\] .*)$/i;
const isDone = (mark = " "): boolean => mark !== " ";

/** Notes as people read them. The lines of a checklist are buttons of the form around them. */
export const readableNotes = (text: string): Html =>
  html`${text.split("\n").map((line, index) => {
    const [, , mark, words] = box.exec(line) ?? [];
    if (words === undefined) return html`<p dir="auto">${linked(line)}</p>`;
    return html`<button class="check" name="line" value="${`${index} ${line}`}" aria-pressed="${isDone(mark) ? "true" : "false"}"><span>${isDone(mark) && icon("check")}</span><span dir="auto">${words.slice(2)}</span></button>`;
  })}`;

/** @returns `2 of 5` for notes with a checklist, else undefined */
export function progressOf(text: string): string | undefined {
  const marks = text.split("\n").flatMap((line) => box.exec(line)?.[2] ?? []);
  return marks.length === 0 ? undefined : `${marks.filter(isDone).length} of ${marks.length}`;
}

/** Turns one line of a checklist, named as by its button; undefined if the notes have another line there. */
export function withTurnedLine(text: string, shown: string): string | undefined {
  const lines = text.split("\n");
  const index = Number.parseInt(shown, 10);
  const [line, before, mark, after] = box.exec(lines[index] ?? "") ?? [];
  if (before === undefined || shown !== `${index} ${line}`) return undefined;
  return lines.with(index, `${before}${isDone(mark) ? " " : "x"}${after}`).join("\n");
}

/** True for notes that say more when they are read than in a field. */
export const isRich = (text: string): boolean => address.test(text) || progressOf(text) !== undefined;
