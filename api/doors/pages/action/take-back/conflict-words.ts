import type { LoggedAction } from "../../../../../shared/contracts/action/contracts.ts";
import type { UndoConflict } from "../../../../../shared/contracts/action/undo.ts";
import { isCalendarDate } from "../../../../../shared/contracts/kernel/text.ts";
import { readImages } from "../../../../../shared/domain/action/stored-images.ts";
import type { LaterChange } from "../../../../queries/action/later-change.ts";
import { parseRow } from "../words/changed-things.ts";
import { nounOfColumn } from "../words/field-words.ts";
import { localTimeOf, nameOfCaller } from "../words/known.ts";
import type { Known, Word } from "../words/words.ts";

/** An action, the names that things had then, and who changed it since, where that is known. */
type Past = Known & Readonly<{ action: LoggedAction; by: Omit<LaterChange, "images"> | undefined }>;

/** Such as: The todo “Pay rent” keeps its present title: “Claude Desktop” changed that on Fri 20 Nov 09:12:01. */
export function sayConflict(conflict: UndoConflict, past: Past): readonly Word[] {
  try {
    return sayOfRow(conflict, past) ?? [ofAction[conflict.why]];
  } catch {
    // What nobody thought of, or a row that this release does not know, is told as far as it can be.
    return [ofAction[conflict.why]];
  }
}

function sayOfRow({ row, fields, why }: UndoConflict, past: Past): readonly Word[] | undefined {
  const subject = row === null ? undefined : subjectOf(row, past);
  if (row === null || !subject) return undefined;
  if (why === "changed_since") {
    const present = listOf(fields);
    return row in readImages(past.action.before).images
      ? [...subject, ` keeps its present ${present}: `, ...changeOf(past, "changed", "that")]
      : [...subject, " stays: ", ...changeOf(past, "changed", `its ${present}`)];
  }
  if (why === "deleted_since") return [...subject, " is gone: ", ...changeOf(past, "deleted", "it")];
  return [...subject, ofThing[why] ?? `: ${ofAction[why]}`];
}

const ofAction: Readonly<Record<UndoConflict["why"], string>> = {
  unknown: "It is not in the log.",
  too_old: "It is more than 30 days old.",
  nothing_changed: "It changed nothing.",
  taken_back: "It is taken back already.",
  changed_since: "It was changed since.",
  deleted_since: "What it changed is gone.",
  made_again: "What it deleted is there again.",
  in_use: "What it made is in use.",
  day_is_settled: "Its day can no longer be changed.",
  category_gone: "The category is gone.",
};

const ofThing: Readonly<Partial<Record<UndoConflict["why"], string>>> = {
  made_again: " is there again already.",
  in_use: " stays, because something else belongs to it by now.",
  day_is_settled: " stays as it is, because that day can no longer be changed.",
  category_gone: " does not get its category back, because that is gone.",
};

/** Who did it and when; both are left out where nobody knows. */
function changeOf({ by, timeZone }: Past, verb: string, what: string): readonly Word[] {
  if (!by) return [`somebody ${verb} ${what} since.`];
  const who: Word = by.door === "page" ? "you" : { quoted: nameOfCaller(by) };
  return [who, ` ${verb} ${what} on `, { wallTime: localTimeOf(by, timeZone) }, "."];
}

/** What a row is, or what it belongs to. */
function subjectOf(row: string, { names }: Past): readonly Word[] | undefined {
  const parsed = parseRow(row);
  if (!parsed) return undefined;
  const { table, date, thing, kind } = parsed;
  const name = names.get(thing);
  const object = name === undefined ? `number ${thing.split("/")[1]}` : { name, thing };
  if (table === "reminders") return ["The reminder of ", object];
  if (table !== "habit_completions") return [`The ${kind} `, object];
  return ["The completion of ", object, " for ", isCalendarDate(date) ? { date } : { quoted: date }];
}

/** What people call the columns that are told in no change, because they follow from others. */
const furtherNouns: ReadonlyMap<string, string> = new Map([
  ["recurrence_anchor", "repetition"],
  ["is_completed", "completion"],
  ["completed_at", "completion"],
  ["completed_on", "completion"],
  ["next_todo_id", "completion"],
  ["reminder", "reminder"],
  ["status", "reminder"],
]);

function listOf(columns: readonly string[]): string {
  const nouns = columns.flatMap((column) => nounOfColumn.get(column) ?? furtherNouns.get(column) ?? []);
  const known = [...new Set(nouns)];
  const last = known.pop() ?? "state";
  return known.length > 0 ? `${known.join(", ")} and ${last}` : last;
}
