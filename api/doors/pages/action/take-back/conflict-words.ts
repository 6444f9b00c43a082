import type { Static } from "typebox";
import type { UndoConflict } from "../../../../../shared/contracts/action/undo.ts";
import { isCalendarDate } from "../../../../../shared/contracts/kernel/text.ts";
import { kindOfTable, parseRowName } from "../../../../../shared/domain/action/images.ts";
import { readImages } from "../../../../../shared/domain/action/stored-images.ts";
import { localTime } from "../../../../../shared/domain/day/day.ts";
import type { ResourceKind } from "../../../../../shared/domain/vocabulary.ts";
import type { LaterChange } from "../../../../queries/action/later-change.ts";
import type { ThingNames } from "../../../../queries/action/names.ts";
import { nounOfColumn } from "../words/field-words.ts";
import type { LoggedRow } from "../words/logged-row.ts";
import { nameOf } from "../words/who.ts";
import type { Word } from "../words/words.ts";

/** Something that stands against taking an action back. */
export type Obstacle = Readonly<Static<typeof UndoConflict>>;

type Known = Readonly<{
  action: LoggedRow;
  /** Who changed it since, where that is known. */
  by: Omit<LaterChange, "images"> | undefined;
  names: ThingNames;
  timeZone: string;
}>;

/** Such as: The todo “Pay rent” keeps its present title: “Claude Desktop” changed that on Fri 20 Nov 09:12:01. */
export function sayObstacle(obstacle: Obstacle, known: Known): readonly Word[] {
  try {
    return sayOfRow(obstacle, known) ?? [ofAction[obstacle.why]];
  } catch {
    // What nobody thought of, or a row that this release does not know, is told as far as it can be.
    return [ofAction[obstacle.why]];
  }
}

function sayOfRow({ row, fields, why }: Obstacle, known: Known): readonly Word[] | undefined {
  const subject = row === null ? undefined : subjectOf(row, known);
  if (row === null || !subject) return undefined;
  if (why === "changed_since") {
    const present = listOf(fields);
    return row in imagesIn(known.action.before)
      ? [...subject, ` keeps its present ${present}: `, ...saidOf(known, "changed", "that")]
      : [...subject, " stays: ", ...saidOf(known, "changed", `its ${present}`)];
  }
  if (why === "deleted_since") return [...subject, " is gone: ", ...saidOf(known, "deleted", "it")];
  return [...subject, ofThing[why] ?? `: ${ofAction[why]}`];
}

const ofAction: Readonly<Record<Obstacle["why"], string>> = {
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

const ofThing: Readonly<Partial<Record<Obstacle["why"], string>>> = {
  made_again: " is there again already.",
  in_use: " stays, because something else belongs to it by now.",
  day_is_settled: " stays as it is, because that day can no longer be changed.",
  category_gone: " does not get its category back, because that is gone.",
};

/** Who did it and when; both are left out where nobody knows. */
function saidOf({ by, timeZone }: Known, verb: string, what: string): readonly Word[] {
  if (!by) return [`somebody ${verb} ${what} since.`];
  const who: Word = by.door === "page" ? "you" : { quoted: nameOf(by) };
  return [who, ` ${verb} ${what} on `, { wallTime: localTime(Date.parse(by.called_at), timeZone) }, "."];
}

/** What a row is, or what it belongs to. */
function subjectOf(name: string, known: Known): readonly Word[] | undefined {
  const { table, key } = parseRowName(name);
  const [id = "", date = ""] = key;
  if (table === "reminders") return ["The reminder of ", nameAt("todo", id, known)];
  if (table === "habit_completions") {
    const day: Word = isCalendarDate(date) ? { date } : { quoted: date };
    return ["The completion of ", nameAt("habit", id, known), " for ", day];
  }
  const kind = kindOfTable(table);
  return kind && [`The ${kind} `, nameAt(kind, id, known)];
}

const places = {
  habit: { table: "habits", names: "habits" },
  todo: { table: "todos", names: "todos" },
  category: { table: "categories", names: "categories" },
} as const;

/** The name that it had at the action, else its present one. */
function nameAt(kind: ResourceKind, id: string, { action, names }: Known): Word {
  const { table, names: place } = places[kind];
  const row = `${table}/${id}`;
  const image = { ...imagesIn(action.after)[row], ...imagesIn(action.before)[row] };
  const isItself = action.resource_kind === kind && String(action.resource_id) === id;
  const name =
    image.title ??
    image.name ??
    (isItself ? action.resource_name : undefined) ??
    names[place].get(Number(id));
  return typeof name === "string" ? { name, thing: { kind, id: Number(id) } } : `number ${id}`;
}

const imagesIn = (stored: string | null) => readImages(stored).images;

/** What people call the columns that are told in no change, because they follow from others. */
const furtherNouns: ReadonlyMap<string, string> = new Map([
  ["recurrence_anchor", "repetition"],
  ...["is_completed", "completed_at", "completed_on", "next_todo_id"].map(
    (column) => [column, "completion"] as const,
  ),
  ...["reminder", "status"].map((column) => [column, "reminder"] as const),
]);

const nounOf = (column: string): string | undefined => nounOfColumn.get(column) ?? furtherNouns.get(column);

function listOf(columns: readonly string[]): string {
  const known = [...new Set(columns.flatMap((column) => nounOf(column) ?? []))];
  const last = known.pop() ?? "state";
  return known.length > 0 ? `${known.join(", ")} and ${last}` : last;
}
