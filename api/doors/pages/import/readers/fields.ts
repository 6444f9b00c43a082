import { CsvError, type Options, parse } from "csv-parse/sync";

type Row = readonly string[];

/** Real tables have fewer columns; further cells are not read. */
const mostCells = 1_000;
/** Longer than any text that a cell may become. */
const longestCell = 10_000;
const longestHead = 100_000;
/** csv-parse's word for no limit; the reading process has a limit of memory. */
const allRows = -1;

/** Malformed text is taken literally, so that no upload makes this fail. */
const options: Options = {
  bom: true,
  record_delimiter: ["\r\n", "\n", "\r"],
  relax_column_count: true,
  relax_quotes: true,
  skip_records_with_empty_values: true,
  on_record: (row) => row.slice(0, mostCells).map((cell) => cell.slice(0, longestCell)),
};

/** The sign between cells: spreadsheets write semicolons or tabs where a comma is part of numbers. */
function delimiterOf(text: string): string {
  const [head = ""] = text
    .slice(0, longestHead)
    .replace(/"[^"]*"/g, "")
    .split(/[\r\n]/, 1);
  const [first = ","] = [",", ";", "\t"].sort(
    (one, other) => head.split(other).length - head.split(one).length,
  );
  return first;
}

/** The rows of a CSV text (RFC 4180), without empty ones. A quoted cell that never ends is closed at the end of the text. */
export function csvRows(text: string, to = allRows): readonly Row[] {
  const all = { ...options, to, delimiter: delimiterOf(text) };
  try {
    return parse(text, all);
  } catch (error) {
    if (!(error instanceof CsvError) || error.code !== "CSV_QUOTE_NOT_CLOSED") throw error;
    return parse(`${text}"`, all);
  }
}

/** The first row, which names the columns. */
export const headOf = (text: string): Row => csvRows(text.slice(0, longestHead), 1)[0] ?? [];

/** A row by the lower-case names of the first one. It has no more cells than it had. */
export type CsvRecord = ReadonlyMap<string, string>;

/** The first of the named cells that is not empty. */
export const cell = (row: CsvRecord, ...names: readonly string[]): string =>
  names.map((name) => row.get(name)?.trim() ?? "").find((value) => value !== "") ?? "";

export function* csvRecords(text: string): Generator<CsvRecord> {
  const [head = [], ...rows] = csvRows(text);
  const names = head.map((name) => name.trim().toLowerCase());
  for (const row of rows)
    yield new Map(row.slice(0, names.length).map((cell, index) => [names[index] ?? "", cell]));
}

/** Reads parts of foreign JSON: values of an unexpected type count as missing. */

/** No real list within the upload limit is longer, but a list of empty things could be ten times as long. */
const mostListed = 250_000;

export type JsonFields = Readonly<Record<string, unknown>>;

export const objectIn = (value: unknown): JsonFields =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonFields) : {};

export const listIn = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value.slice(0, mostListed) : [];

export const objectsIn = (value: unknown): readonly JsonFields[] => listIn(value).map(objectIn);

export const textIn = (value: unknown): string => (typeof value === "string" ? value : "");

export const numberIn = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isFinite(value) ? value : undefined;
