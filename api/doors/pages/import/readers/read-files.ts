import { parseJson } from "../../../../http/input.ts";
import { readableFiles } from "../../export/exported-things.ts";
import { isCalendar, readCalendar } from "./calendar.ts";
import { headOf } from "./fields.ts";
import { type Finding, left, type ReadingContext, type TextFile } from "./found.ts";
import { isHabitica, readHabitica } from "./habitica.ts";
import { isKeptExport, readKept } from "./kept.ts";
import { isLoopBackup, isLoopDays, readLoop, readLoopBackup } from "./loop.ts";
import {
  isGoogleTasks,
  isTickTick,
  isVikunja,
  readGoogleTasks,
  readTickTick,
  readVikunja,
} from "./task-apps.ts";
import { readTodoist } from "./todoist.ts";

type FileKind = "json" | "calendar" | "ticktick" | "todoist" | "loop habits" | "loop checkmarks" | "other";

/** The content decides, because people rename files. */
function kindOf({ name, text }: TextFile): FileKind {
  if (/^\s*[{[]/.test(text)) return "json";
  if (isCalendar(text)) return "calendar";
  if (isTickTick(text)) return "ticktick";
  const names = headOf(text).map((cell) => cell.trim().toLowerCase());
  if (names.includes("type") && names.includes("content")) return "todoist";
  if (names.includes("name") && (names.includes("numrepetitions") || names.includes("frequencynumerator")))
    return "loop habits";
  // Loop has a table of scores with the same head, and tables of single habits.
  const isOther = /scores/i.test(name) || names.includes("value");
  return !isOther && isLoopDays(text) ? "loop checkmarks" : "other";
}

export function* readFiles(files: readonly TextFile[], context: ReadingContext): Generator<Finding> {
  const byText = Map.groupBy(files, ({ text }) => text);
  const copies = [...byText.values()].flatMap((same) => (same[0]?.text ? same.slice(1) : []));
  for (const { name } of copies) yield left(name, "This file is in the upload twice, and comes once.");
  const byKind = Map.groupBy(
    files.filter((file) => !copies.includes(file)),
    kindOf,
  );
  for (const file of byKind.get("json") ?? []) yield* readJson(file, context);
  for (const { text } of byKind.get("calendar") ?? []) yield* readCalendar(text, context);
  for (const { text } of byKind.get("ticktick") ?? []) yield* readTickTick(text, context);
  yield* readTodoist(byKind.get("todoist") ?? [], context);
  const [habits, ...otherHabits] = byKind.get("loop habits") ?? [];
  const [checkmarks, ...otherDays] = byKind.get("loop checkmarks") ?? [];
  for (const { name } of [...otherHabits, ...otherDays])
    yield left(name, "Kept reads one backup of Loop at a time; bring this one afterwards.");
  const ofLoop = habits !== undefined || checkmarks !== undefined;
  if (ofLoop) yield* readLoop({ habits, checkmarks }, context);
  for (const { name } of ofLoop ? [] : (byKind.get("other") ?? [])) yield left(name, unreadable);
}

const unreadable = `Kept cannot read this file. Bring ${readableFiles}.`;

const jsonReaders = [
  { is: isKeptExport, read: readKept },
  { is: isHabitica, read: readHabitica },
  { is: isGoogleTasks, read: readGoogleTasks },
  { is: isVikunja, read: readVikunja },
  { is: isLoopBackup, read: readLoopBackup },
];

function* readJson({ name, text }: TextFile, context: ReadingContext): Generator<Finding> {
  const value = parseJson(text.replace(/^\u{FEFF}/u, ""));
  if (value === undefined) return yield left(name, "This is not JSON, or it is not whole.");
  const reader = jsonReaders.find(({ is }) => is(value));
  if (reader) yield* reader.read(value, context);
  else yield left(name, unreadable);
}
