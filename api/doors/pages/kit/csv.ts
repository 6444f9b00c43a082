/**
 * One line of a CSV file (RFC 4180) that spreadsheets can open. What they would take for a formula gets an apostrophe
 * before it, because a title such as `=HYPERLINK(…)` may be somebody else's words.
 */
export const csvLine = (cells: readonly unknown[]): string => `${cells.map(csvCell).join(",")}\r\n`;

/**
 * Spreadsheets pass over blanks before a sign, and some take its full-width form as well. In many languages they split at
 * semicolons, also within our quotation marks.
 */
const asFormula = /(^|[;\t\r\n])(?=[\s"]*[=+\-@＝＋－＠|%])/g;

function csvCell(value: unknown): string {
  const text = value == null ? "" : typeof value === "object" ? JSON.stringify(value) : String(value);
  const harmless = text.replaceAll(asFormula, "$1'");
  return `"${harmless.replaceAll('"', '""')}"`;
}

/** By this mark spreadsheets know that a file is UTF-8. */
export const byteOrderMark = "\u{FEFF}";
