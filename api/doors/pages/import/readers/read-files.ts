import { Unzip, UnzipInflate } from "fflate";
import { parseJson } from "../../../../http/input/body.ts";
import type { Upload } from "../../../../web/form/upload.ts";
import { headOf } from "./fields.ts";
import { type Finding, left, type ReadingContext, type TextFile } from "./found.ts";
import { isHabitica, readHabitica } from "./habitica.ts";
import { isKeptExport, readKept } from "./kept.ts";
import { readLoop } from "./loop.ts";
import { readTodoist } from "./todoist.ts";

/** Archives count by their unpacked size. */
const mostTextBytes = 8 * 1024 * 1024;

/** @returns the files as text, those in archives too, or a sentence with their problem */
export function textsOf(files: Upload["files"]): readonly TextFile[] | string {
  const texts: TextFile[] = [];
  let left = mostTextBytes;
  for (const { name, bytes } of files) {
    const unpacked = isZip(bytes) ? unzip(bytes, left) : [{ name, bytes }];
    if (typeof unpacked === "string") return unpacked;
    for (const one of unpacked) {
      left -= one.bytes.length;
      texts.push({ name: one.name, text: new TextDecoder().decode(one.bytes) });
    }
  }
  if (left < 0) return "These files are too large to be read.";
  return texts.length === 0 ? "Choose a file first." : texts;
}

/** Bytes unpacked in one step, because some kilobytes can become thousands of times as much. */
const bytesAtOnce = 2_048;
const mostFiles = 200;

type Unpacked = Readonly<{ name: string; bytes: Uint8Array }>;

/**
 * Unpacks the text files of an archive, chosen by name.
 * @param mostBytes limit of all files together
 * @returns the files, or a sentence why they cannot be unpacked
 */
export function unzip(archive: Uint8Array, mostBytes: number): readonly Unpacked[] | string {
  const files: { name: string; chunks: Uint8Array[] }[] = [];
  let [size, problem]: [number, string | undefined] = [0, undefined];
  const unpacking = new Unzip((file) => {
    if (!/\.(csv|json)$/i.test(file.name) || files.length === mostFiles) return;
    const chunks: Uint8Array[] = [];
    files.push({ name: file.name, chunks });
    file.ondata = (error, chunk) => {
      if (error) problem ??= "This archive is damaged.";
      else chunks.push(chunk);
      size += chunk?.length ?? 0;
    };
    file.start();
  });
  unpacking.register(UnzipInflate);
  try {
    for (let at = 0; at < archive.length && problem === undefined; at += bytesAtOnce) {
      const end = at + bytesAtOnce;
      unpacking.push(archive.subarray(at, end), end >= archive.length);
      if (size > mostBytes) problem = "What this archive holds is too large.";
    }
  } catch {
    problem ??= "This archive is damaged.";
  }
  return problem ?? files.map(({ name, chunks }) => ({ name, bytes: Buffer.concat(chunks) }));
}

const isZip = (bytes: Uint8Array): boolean => bytes[0] === 0x50 && bytes[1] === 0x4b;

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
