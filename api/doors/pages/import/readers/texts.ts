import { Database, SQLiteError } from "bun:sqlite";
import { type UnzipFileInfo, unzipSync } from "fflate";
import type { Upload } from "../../../../web/form/upload.ts";
import type { TextFile } from "./found.ts";

/** Archives count by their unpacked size. */
const mostTextBytes = 8 * 1024 * 1024;

/** @returns the files as text, those in archives too, or a sentence with their problem */
export function textsOf(files: Upload["files"]): readonly TextFile[] | string {
  const texts: TextFile[] = [];
  let left = mostTextBytes;
  for (const { name, bytes } of files) {
    const isZip = beginsWith(bytes, "PK");
    const unpacked = isZip ? unzip(bytes, left) : [{ name, bytes }];
    if (typeof unpacked === "string") return unpacked;
    if (unpacked.length === 0) texts.push({ name, text: "" });
    for (const one of unpacked) {
      left -= one.bytes.length;
      texts.push({ name: one.name, text: textOf(one.bytes), year: isZip ? yearOfZip(bytes) : undefined });
    }
  }
  if (left < 0) return "These files are too large to be read.";
  return texts.length === 0 ? "Choose a file first." : texts;
}

const beginsWith = (bytes: Uint8Array, text: string): boolean =>
  Buffer.from(bytes.subarray(0, text.length)).toString("latin1") === text;

/** The year of the first entry, counted from 1980, which programs without a date write. */
const yearOfZip = (bytes: Uint8Array): number | undefined => {
  const years = (bytes[13] ?? 0) >> 1;
  return years === 0 ? undefined : 1_980 + years;
};

const mostFiles = 1_000;
type Unpacked = Readonly<{ name: string; bytes: Uint8Array }>;

/**
 * Unpacks the text files of an archive, chosen by name. An entry never becomes larger than its head says.
 * @param mostBytes limit of all files together
 * @returns the files, or a sentence why they cannot be unpacked
 */
export function unzip(archive: Uint8Array, mostBytes: number): readonly Unpacked[] | string {
  try {
    const entries: UnzipFileInfo[] = [];
    unzipSync(archive, { filter: (entry) => entries.push(entry) === 0 });
    const wanted = wantedOf(entries);
    if (wanted.length > mostFiles) return `This archive has more than ${mostFiles} files to read.`;
    const size = wanted.reduce((sum, { originalSize }) => sum + originalSize, 0);
    if (size > mostBytes) return "What this archive holds is too large.";
    const names = new Set(wanted.map(({ name }) => name));
    const files = unzipSync(archive, { filter: ({ name }) => names.has(name) });
    return Object.entries(files).map(([name, bytes]) => ({ name: nameOf(name), bytes }));
  } catch {
    return "This archive is damaged.";
  }
}

/** macOS adds files of its own. Loop's archive has two tables for all habits, and two more in a folder for each. */
function wantedOf(entries: readonly UnzipFileInfo[]): readonly UnzipFileInfo[] {
  const texts = entries.filter(
    ({ name }) => /\.(csv|json|ics|db)$/i.test(name) && !/(^|\/)(__MACOSX\/|\._)/.test(name),
  );
  const habits = texts.filter(({ name }) => /(^|\/)Habits\.csv$/.test(name));
  const [list] = habits.sort((one, other) => one.name.length - other.name.length);
  const tables = ["Habits.csv", "Checkmarks.csv"].map((table) => list?.name.replace(/Habits\.csv$/, table));
  return list ? texts.filter(({ name }) => tables.includes(name)) : texts;
}

/** Some programs write names as UTF-8 without the mark for it. */
const nameOf = (name: string): string => {
  const bytes = Buffer.from(name, "latin1");
  return bytes.toString("latin1") === name ? (decoded("utf-8", bytes) ?? name) : name;
};

function decoded(encoding: "utf-8" | "utf-16le" | "utf-16be", bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

/** Spreadsheets write UTF-16, and Windows its own code page. */
function textOf(bytes: Uint8Array): string {
  if (beginsWith(bytes, "SQLite format 3\0")) return tablesOf(bytes);
  if (beginsWith(bytes, "\xff\xfe") || bytes[1] === 0) return decoded("utf-16le", bytes) ?? "";
  if (beginsWith(bytes, "\xfe\xff") || bytes[0] === 0) return decoded("utf-16be", bytes) ?? "";
  return decoded("utf-8", bytes) ?? new TextDecoder("windows-1252").decode(bytes);
}

/** The tables of a backup by Loop as JSON; empty for another database. */
function tablesOf(bytes: Uint8Array): string {
  try {
    // A backup of a database with a log beside it says so, but the log is not part of it.
    const alone = Uint8Array.from(bytes).fill(1, 18, 20);
    using database = Database.deserialize(alone, { readonly: true });
    const [habits, repetitions] = ["Habits order by position", "Repetitions order by timestamp"].map(
      (table) => database.query(`select * from ${table} limit 250000`).all(),
    );
    return JSON.stringify({ loop: { habits, repetitions } });
  } catch (error) {
    if (error instanceof SQLiteError) return "";
    throw error;
  }
}
