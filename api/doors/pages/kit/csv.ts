import { type Options, stringify } from "csv-stringify/sync";

/**
 * Spreadsheets skip blanks before a sign, and some accept its full-width form. In many languages they split at
 * semicolons, also within quotation marks.
 */
const asFormula = /(^|[;\t\r\n])(?=[\s"]*[=+\-@＝＋－＠|%])/g;

/** Adds apostrophes to formulas, because a title such as `=HYPERLINK(…)` may be somebody else's words. */
const harmless = (text: string): string => text.replaceAll(asFormula, "$1'");

const options: Options = {
  quoted: true,
  quoted_empty: true,
  record_delimiter: "windows",
  cast: {
    string: harmless,
    number: (value) => harmless(String(value)),
    boolean: String,
    object: (value) => harmless(JSON.stringify(value)),
  },
};

/** One line of a CSV file (RFC 4180) that spreadsheets can open without running anything. */
export const csvLine = (cells: readonly unknown[]): string => stringify([cells], options);

/** This mark tells spreadsheets that a file is UTF-8. */
export const byteOrderMark = "\u{FEFF}";
