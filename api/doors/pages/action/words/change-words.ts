import { isCalendarDate } from "../../../../../shared/contracts/kernel/text.ts";
import type { Image } from "../../../../../shared/domain/action/image-fields.ts";
import type { ResourceKind } from "../../../../../shared/domain/vocabulary.ts";
import { countInWords } from "../../kit/dates.ts";
import type { ChangedThing } from "./changed-things.ts";
import { changesBetween, factsOfImage } from "./field-words.ts";
import { afterColon, type Known, listed, type Word } from "./words.ts";

/** The words for a change of one thing: verb and name for a summary, and the whole sentence. */
type Change = Readonly<{ verb: string; kind: ResourceKind; object: Word; sentence: readonly Word[] }>;

/** The manner of changes: done, brought back by an undo, or asked for. */
export type Manner = "done" | "undone" | "asked";

export function changesInWords(
  things: readonly ChangedThing[],
  known: Known,
  manner: Manner,
): readonly Change[] {
  const successors = things.flatMap((one) => successorOf(one, things) ?? []);
  return things
    .filter((one) => !successors.includes(one))
    .map((one) => {
      const { thing, kind } = one;
      const name = known.names.get(thing);
      const object = name === undefined ? (thing.split("/")[1] ?? "") : { name, thing };
      const done = verbOf(one, manner === "undone");
      const verb = manner === "asked" ? (asked.get(done) ?? done) : done;
      const details = detailsOf(one, successorOf(one, things), known);
      return { verb, kind, object, sentence: [`${verb} the ${kind} `, object, ...details] };
    });
}

/** Several changes as one sentence: `Created 3 todos: “a”, “b” and “c”`. */
export function summaryOf(changes: readonly Change[]): readonly Word[] {
  const [only, ...others] = changes;
  if (only && others.length === 0) return only.sentence;
  const groups = [...Map.groupBy(changes, ({ verb, kind }) => `${verb} ${kind}`).values()];
  return groups.flatMap((alike, index): readonly Word[] => {
    const [{ verb, kind } = { verb: "", kind: "todo" as const }] = alike;
    const lead = index === 0 ? verb : `; ${verb.toLowerCase()}`;
    const objects = alike.map(({ object }) => [object]);
    return [`${lead} ${countOf(alike.length, kind)}: `, ...listed(objects)];
  });
}

export const countOf = (count: number, kind: ResourceKind): string =>
  kind === "category" && count > 1 ? `${count} categories` : countInWords(count, kind);

/** The successor that a completion made, or that a reopening removed. */
function successorOf(
  { before, after }: ChangedThing,
  things: readonly ChangedThing[],
): ChangedThing | undefined {
  const id = before && after && (after.next_todo_id ?? before.next_todo_id);
  if (id == null) return undefined;
  return things.find((next) => next.thing === `todos/${id}` && !(next.before && next.after));
}

function verbOf(
  { before, after, completed, uncompleted, amounts, ...skips }: ChangedThing,
  isUndo: boolean,
): string {
  if (!before) return isUndo ? "Brought back" : "Created";
  if (!after) return isUndo ? "Removed" : "Deleted";
  if (completed.length > 0) return "Completed";
  if (uncompleted.length > 0) return "Took back the completion of";
  if (amounts.length > 0) return amounts.some((day) => day.after > day.before) ? "Added to" : "Took from";
  if (skips.skipped.length > 0) return "Skipped";
  if (skips.unskipped.length > 0) return "Took back the skip of";
  if (after.is_completed === true) return "Ticked off";
  if (after.is_completed === false) return "Reopened";
  return isUndo ? "Changed back" : "Changed";
}

const asked: ReadonlyMap<string, string> = new Map([
  ["Created", "Create"],
  ["Deleted", "Delete"],
  ["Completed", "Complete"],
  ["Took back the completion of", "Take back the completion of"],
  ["Added to", "Add to"],
  ["Took from", "Take from"],
  ["Skipped", "Skip"],
  ["Took back the skip of", "Take back the skip of"],
  ["Ticked off", "Tick off"],
  ["Reopened", "Reopen"],
  ["Changed", "Change"],
]);

function detailsOf(one: ChangedThing, successor: ChangedThing | undefined, known: Known): readonly Word[] {
  const { kind, before, after, completed, uncompleted, amounts } = one;
  if (before && after) {
    const counted = amounts.map(({ date }) => date);
    const days =
      [completed, uncompleted, counted, one.skipped, one.unskipped].find(({ length }) => length > 0) ?? [];
    const sums = amounts.map((day): Word[] => [`amount ${day.before} → ${day.after}`]);
    const changes = changesBetween(kind, { before, after }, known);
    return [...daysInWords(days), ...afterColon([...sums, ...changes], "; "), ...nextInWords(successor)];
  }
  const { title: _, name: __, ...facts } = after ?? before ?? {};
  const history = kind === "habit" ? historyIn(facts) : [];
  return [...history, ...afterColon(factsOfImage(kind, facts, known), ", ")];
}

/** The completions that went with a deleted habit, or came back with it. */
function historyIn({ completions_count, longest_streak }: Image): readonly Word[] {
  if (typeof completions_count !== "number" || completions_count === 0) return [];
  const longest = typeof longest_streak === "number" ? ` and a longest streak of ${longest_streak}` : "";
  return [` with ${countInWords(completions_count, "completion")}${longest}`];
}

function daysInWords(days: readonly string[]): readonly Word[] {
  const dates = days.map((date): Word[] => [isCalendarDate(date) ? { date } : { quoted: date }]);
  return dates.length > 0 ? [" for ", ...listed(dates)] : [];
}

function nextInWords(successor: ChangedThing | undefined): readonly Word[] {
  if (!successor) return [];
  const { due_date } = successor.after ?? successor.before ?? {};
  const date = typeof due_date === "string" && isCalendarDate(due_date) ? { date: due_date } : undefined;
  if (successor.after) return date ? ["; it comes again on ", date] : ["; it comes again"];
  return date ? ["; the next one, on ", date, ", is gone again"] : ["; the next one is gone again"];
}
