import { parseJson } from "../../../../http/input/body.ts";
import { headOf } from "./csv-rows.ts";
import { type Finding, left, type ReadingContext, type TextFile } from "./found.ts";
import { isHabitica, readHabitica } from "./habitica.ts";
import { isKeptExport, readKept } from "./kept.ts";
import { readLoop } from "./loop.ts";
import { readTodoist } from "./todoist.ts";

type FileKind = "todoist" | "loop habits" | "loop checkmarks" | "json" | "other";

/** The content decides, because people rename files. */
function kindOf({ name, text }: TextFile): FileKind {
  if (/^\u{FEFF}?\s*\{/u.test(text)) return "json";
  const names = headOf(text).map((cell) => cell.trim().toLowerCase());
  if (names.includes("type") && names.includes("content")) return "todoist";
  if (names.includes("name") && (names.includes("numrepetitions") || names.includes("frequencynumerator")))
    return "loop habits";
  // Loop has a table of scores with the same head, and tables of single habits in folders.
  const isDays = names[0] === "date" && !/scores/i.test(name) && !/[\\/]./.test(name);
  return isDays && !names.includes("value") ? "loop checkmarks" : "other";
}

/** Reads the files of one upload, of any kind. */
export function* readFiles(files: readonly TextFile[], context: ReadingContext): Generator<Finding> {
  const byKind = Map.groupBy(files, kindOf);
  for (const file of byKind.get("json") ?? []) yield* readJson(file, context);
  for (const file of byKind.get("todoist") ?? []) yield* readTodoist(file, context);
  const [habits] = byKind.get("loop habits") ?? [];
  const [checkmarks] = byKind.get("loop checkmarks") ?? [];
  if (habits || checkmarks) yield* readLoop({ habits, checkmarks });
  const ofLoop = habits !== undefined || checkmarks !== undefined;
  for (const { name } of ofLoop ? [] : (byKind.get("other") ?? []))
    yield left(name, "Kept cannot read this file.");
}

function* readJson({ name, text }: TextFile, context: ReadingContext): Generator<Finding> {
  const value = parseJson(text.replace(/^\u{FEFF}/u, ""));
  if (value === undefined) yield left(name, "This is not JSON, or it is not whole.");
  else if (isKeptExport(value)) yield* readKept(value);
  else if (isHabitica(value)) yield* readHabitica(value, context);
  else yield left(name, "Kept cannot read this kind of JSON.");
}
