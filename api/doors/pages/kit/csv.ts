/**
 * One line of a CSV file (RFC 4180) that spreadsheets can open. Formulas get an apostrophe, because a title such as
 * `=HYPERLINK(…)` may be somebody else's words.
 */
export const csvLine = (cells: readonly unknown[]): string => `${cells.map(csvCell).join(",")}\r\n`;

/**
 * Spreadsheets skip blanks before a sign, and some accept its full-width form. In many languages they split at
 * semicolons, also within our quotation marks.
 */
const asFormula = /(^|[;\t\r\n])(?=[\s"]*[=+\-@＝＋－＠|%])/g;

function csvCell(value: unknown): string {
  const text = value == null ? "" : typeof value === "object" ? JSON.stringify(value) : String(value);
  const harmless = text.replaceAll(asFormula, "$1'");
  return `"${harmless.replaceAll('"', '""')}"`;
}

/** This mark tells spreadsheets that a file is UTF-8. */
export const byteOrderMark = "\u{FEFF}";
