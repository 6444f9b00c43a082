import { Type } from "typebox";
import { Compile } from "typebox/compile";
import type { LoggedAction } from "../../../../../shared/contracts/action/contracts.ts";
import { UndoConflict } from "../../../../../shared/contracts/action/undo.ts";
import { isCalendarDate } from "../../../../../shared/contracts/kernel/text.ts";
import { readStored } from "../../../../../shared/domain/action/cut-arguments.ts";
import { readImages } from "../../../../../shared/domain/action/stored-images.ts";
import { isRefused } from "../../../../../shared/errors.ts";
import { namesThen, parseRow } from "../../../../queries/action/things.ts";
import {
  type ActionKey,
  causeOf,
  type LaterChange,
  readLaterChanges,
  rowsInTheWay,
} from "../../../../queries/action/undone.ts";
import type { QueryContext } from "../../../../queries/engine/context.ts";
import { type Known, toldFields } from "../narrator.ts";
import { localTimeOf, nameOfCaller, type Word } from "../words.ts";

type Conflicting = Readonly<{ action: LoggedAction; conflicts: readonly UndoConflict[] }>;

const undoArguments = Compile(Type.Object({ stayed: Type.Array(UndoConflict) }));

/** The conflicts of an undo, from its row in the log. */
export function conflictsOf(undo: Pick<LoggedAction, "arguments">): readonly UndoConflict[] {
  const { args } = readStored(undo.arguments);
  return undoArguments.Check(args) ? args.stayed : [];
}

/** Nobody reads more conflicts of one action. */
const mostTold = 10;

/**
 * @param except the token whose actions are all undone; its own later changes are no conflict
 * @returns for each action a sentence for each conflict, with who changed what since
 */
export async function conflictsInWords(
  query: QueryContext,
  all: readonly Conflicting[],
  { names, timeZone, except }: Known & Readonly<{ except?: string }>,
): Promise<readonly (readonly (readonly Word[])[])[]> {
  const rowNames = [
    ...new Set(all.flatMap(({ conflicts }) => conflicts.slice(0, mostTold).flatMap(rowsInTheWay))),
  ];
  const [oldest] = all.map(({ action }) => action).toSorted((one, other) => (isAfter(one, other) ? 1 : -1));
  const isNeeded = oldest !== undefined && rowNames.length > 0;
  const found =
    isNeeded && (await query.inTurn((own) => readLaterChanges(own, oldest, { rowNames, except }), true));
  const changes = !found || isRefused(found) ? [] : found;
  return all.map(({ action, conflicts }) => {
    const later = changes.filter((change) => isAfter(change, action));
    const known = { action, names: namesThen(action, names), timeZone };
    const told = conflicts
      .slice(0, mostTold)
      .map((one) => sayConflict(one, { ...known, by: causeOf(one, later) }));
    const more = conflicts.length - mostTold;
    return more > 0 ? [...told, [`And ${more} more like that.`]] : told;
  });
}

const isAfter = (one: ActionKey, other: ActionKey): boolean =>
  `${one.called_at}_${one.request_id}` > `${other.called_at}_${other.request_id}`;

/** An action, the names of that time, and the later change that conflicts, if found. */
type Past = Known & Readonly<{ action: LoggedAction; by: Omit<LaterChange, "before" | "after"> | undefined }>;

/** A sentence such as: The todo “Pay rent” keeps its present title: “Claude Desktop” changed that on Fri 20 Nov 09:12:01. */
export function sayConflict(conflict: UndoConflict, past: Past): readonly Word[] {
  const { row, why } = conflict;
  try {
    const subject = row === null ? undefined : subjectOf(row, past);
    if (row !== null && subject) return [...subject, ...clauseOf({ ...conflict, row }, past)];
  } catch {
    // An unreadable image or an unknown row leads to a sentence without the name.
  }
  return [`It ${clauses[why]}.`];
}

const clauses: Readonly<Record<UndoConflict["why"], string>> = {
  unknown: "is not in the log",
  too_old: "is more than 30 days old",
  nothing_changed: "changed nothing",
  taken_back: "is taken back already",
  changed_since: "was changed since",
  deleted_since: "is gone",
  made_again: "is there again already",
  in_use: "stays, because something else belongs to it now",
  category_gone: "does not get its category back, because that is gone",
};

function clauseOf(
  { row, fields, why }: UndoConflict & Readonly<{ row: string }>,
  past: Past,
): readonly Word[] {
  if (why === "deleted_since") return [" is gone: ", ...changeOf(past, "deleted", "it")];
  if (why !== "changed_since") return [` ${clauses[why]}.`];
  const present = listOf(fields);
  return row in readImages(past.action.before).images
    ? [` keeps its present ${present}: `, ...changeOf(past, "changed", "that")]
    : [" stays: ", ...changeOf(past, "changed", `its ${present}`)];
}

/** The caller and the time of a later change; both are left out if it was not found. */
function changeOf({ by, timeZone }: Past, verb: string, what: string): readonly Word[] {
  if (!by) return [`somebody ${verb} ${what} since.`];
  const who: Word = by.door === "page" ? "you" : { quoted: nameOfCaller(by) };
  return [who, ` ${verb} ${what} on `, { wallTime: localTimeOf(by, timeZone) }, "."];
}

/** The thing that a row is or belongs to. */
function subjectOf(row: string, { names }: Past): readonly Word[] | undefined {
  const parsed = parseRow(row);
  if (!parsed) return undefined;
  const { table, date, thing, kind } = parsed;
  const name = names.get(thing);
  const object = name === undefined ? `number ${thing.split("/")[1]}` : { name, thing };
  if (table === "reminders") return ["The reminder of ", object];
  const part = partsOfDay.get(table);
  if (!part) return [`The ${kind} `, object];
  return [`The ${part} of `, object, " for ", isCalendarDate(date) ? { date } : { quoted: date }];
}

const partsOfDay: ReadonlyMap<string, string> = new Map([
  ["habit_completions", "completion"],
  ["habit_amounts", "amount"],
]);

const told = Object.values(toldFields).flat();

/** The nouns of columns. The last ones are told of no change, because they follow from others. */
const nouns: ReadonlyMap<string, string> = new Map([
  ...told.flatMap(({ noun, columns }) => columns.map((column) => [column, noun] as const)),
  ["recurrence_anchor", "repetition"],
  ["is_completed", "completion"],
  ["completed_at", "completion"],
  ["completed_on", "completion"],
  ["next_todo_id", "completion"],
  ["reminder", "reminder"],
  ["status", "reminder"],
]);

function listOf(columns: readonly string[]): string {
  const known = [...new Set(columns.flatMap((column) => nouns.get(column) ?? []))];
  const last = known.pop() ?? "state";
  return known.length > 0 ? `${known.join(", ")} and ${last}` : last;
}
