import type { LoggedAction } from "../../../../../shared/contracts/action/contracts.ts";
import { readImages } from "../../../../../shared/domain/action/stored-images.ts";
import type { ResourceKind } from "../../../../../shared/domain/vocabulary.ts";
import { argumentsOf, callInWords } from "./call-words.ts";
import { changesInWords, countOf, summaryOf } from "./change-words.ts";
import { changedThings, parseRow } from "./changed-things.ts";
import { namesThen } from "./known.ts";
import { type Known, listed, type Word } from "./words.ts";

/** An action as one sentence, and where it did several things, as one of each. */
type Description = Readonly<{ sentence: readonly Word[]; changes: readonly (readonly Word[])[] }>;

/**
 * Describes what an action did or tried, as a sentence about the user's own things. Whatever the tool, its
 * arguments and what is stored are, callers' words appear in it only between quotation marks.
 */
export function describeAction(action: LoggedAction, { names, timeZone }: Known): Description {
  try {
    if (action.outcome === "rate_limited") return saying(refusalsInWords(action.calls));
    if (action.tool === "import.apply" && action.outcome === "ok") return saying(...importInWords(action));
    const known = { timeZone, names: namesThen(action, names) };
    const changes = changesInWords(changedThings(action), known, action.tool === "action.undo");
    if (changes.length === 0) return saying(...callInWords(action, known));
    return {
      sentence: [...summaryOf(changes), ...othersSent(action, changes.length), ...cutIn(action)],
      changes: changes.length > 1 ? changes.map(({ sentence }) => sentence) : [],
    };
  } catch {
    // One row that nobody thought of must not take the page with it.
    return saying("Made a call that cannot be described");
  }
}

const saying = (...sentence: readonly Word[]): Description => ({ sentence, changes: [] });

/** Calls over the rate limit share a row, which knows only the first of them. */
const refusalsInWords = (calls: number): string =>
  `${calls} ${calls === 1 ? "call" : "calls"} refused: over the limit`;

/** A call of several todos does what it can, and changes nothing of those that are as they were to be. */
function othersSent(action: LoggedAction, done: number): readonly Word[] {
  const { todos, todo_ids = todos } = argumentsOf(action);
  return Array.isArray(todo_ids) && todo_ids.length > done ? [`, of ${todo_ids.length} that were named`] : [];
}

const cutIn = ({ before, after }: LoggedAction): readonly Word[] =>
  readImages(before).cut || readImages(after).cut ? [" (shortened)"] : [];

const importOrder: readonly ResourceKind[] = ["habit", "todo", "category"];

/** An import makes so much that its row can seldom name all of it, but it knows how many there were. */
function importInWords({ after }: LoggedAction): readonly Word[] {
  const { images, cut } = readImages(after);
  const made = [...new Set([...Object.keys(images), ...(cut?.others ?? [])])].map(parseRow);
  const counts = importOrder.flatMap((kind): Word[][] => {
    const things = new Set(made.flatMap((row) => (row?.kind === kind ? [row.thing] : [])));
    return things.size === 0 ? [] : [[countOf(things.size, kind)]];
  });
  return counts.length === 0 ? ["Imported a file"] : ["Imported ", ...listed(counts), " from a file"];
}
