import type { LoggedAction } from "../../../../../shared/contracts/action/contracts.ts";
import { readImages } from "../../../../../shared/domain/action/stored-images.ts";
import type { ResourceKind } from "../../../../../shared/domain/vocabulary.ts";
import { argumentsOf, callInWords } from "./call-words.ts";
import { changesInWords, countOf, type Manner, summaryOf } from "./change-words.ts";
import { changedThings, parseRow } from "./changed-things.ts";
import { namesThen } from "./known.ts";
import { type Known, listed, type Word } from "./words.ts";

/** An action as one sentence, or one for each of its things. */
type Description = Readonly<{ sentence: readonly Word[]; changes: readonly (readonly Word[])[] }>;

/**
 * Describes an action or an attempt in a sentence about the user's own things. Callers' words always stand between
 * quotation marks, whatever the tool, its arguments and the stored texts are.
 */
export function describeAction(action: LoggedAction, { names, timeZone }: Known): Description {
  try {
    if (action.outcome === "rate_limited") return saying(refusalsInWords(action.calls));
    if (action.tool === "import.apply" && action.outcome === "ok") return saying(...importInWords(action));
    const known = { timeZone, names: namesThen(action, names) };
    const changes = changesInWords(changedThings(action), known, mannerOf(action));
    if (changes.length === 0) return saying(...callInWords(action, known));
    return {
      sentence: [...summaryOf(changes), ...othersSent(action, changes.length), ...cutIn(action)],
      changes: changes.length > 1 ? changes.map(({ sentence }) => sentence) : [],
    };
  } catch {
    // One unexpected row must not break the page.
    return saying("Made a call that cannot be described");
  }
}

function mannerOf({ tool, outcome }: LoggedAction): Manner {
  if (outcome === "waiting") return "asked";
  return tool === "action.undo" ? "undone" : "done";
}

const saying = (...sentence: readonly Word[]): Description => ({ sentence, changes: [] });

/** Calls over the rate limit share a row, which knows only the first of them. */
const refusalsInWords = (calls: number): string =>
  `${calls} ${calls === 1 ? "call" : "calls"} refused: over the limit`;

/** A call of several things does what it can; a thing that is so already is not changed. */
function othersSent(action: LoggedAction, done: number): readonly Word[] {
  const { todos, todo_ids = todos, habit_ids: named = todo_ids } = argumentsOf(action);
  return Array.isArray(named) && named.length > done ? [`, of ${named.length} that were named`] : [];
}

const cutIn = ({ before, after }: LoggedAction): readonly Word[] =>
  readImages(before).cut || readImages(after).cut ? [" (shortened)"] : [];

const importOrder: readonly ResourceKind[] = ["habit", "todo", "category"];

/** An import makes too many things for its row, which has their number instead. */
function importInWords({ after }: LoggedAction): readonly Word[] {
  const { images, cut } = readImages(after);
  const made = [...new Set([...Object.keys(images), ...(cut?.others ?? [])])].map(parseRow);
  const counts = importOrder.flatMap((kind): Word[][] => {
    const things = new Set(made.flatMap((row) => (row?.kind === kind ? [row.thing] : [])));
    return things.size === 0 ? [] : [[countOf(things.size, kind)]];
  });
  return counts.length === 0 ? ["Imported a file"] : ["Imported ", ...listed(counts), " from a file"];
}
