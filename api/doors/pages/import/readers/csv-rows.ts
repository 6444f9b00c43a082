/** No real table has as many columns; further cells are not read. */
const mostCells = 1_000;
/** Longer than any text that a cell may become. */
const longestCell = 10_000;
const longestHead = 100_000;

/**
 * The rows of a CSV text (RFC 4180) with any line ends. Malformed text is taken literally, so that no upload makes this
 * fail.
 */
export function* csvRows(text: string): Generator<string[]> {
  let row: string[] = [];
  for (let at = text.startsWith("\u{FEFF}") ? 1 : 0; at <= text.length; ) {
    const { cell, end } = text[at] === '"' ? quotedCell(text, at) : plainCell(text, at);
    if (row.length < mostCells) row.push(cell.slice(0, longestCell));
    if (text[end] === ",") {
      at = end + 1;
      continue;
    }
    if (row.some((one) => one !== "")) yield row;
    row = [];
    at = end + (text.startsWith("\r\n", end) ? 2 : 1);
  }
}

type Cell = Readonly<{ cell: string; end: number }>;

function plainCell(text: string, start: number): Cell {
  let end = start;
  while (end < text.length && text[end] !== "," && text[end] !== "\n" && text[end] !== "\r") end += 1;
  return { cell: text.slice(start, end), end };
}

function quotedCell(text: string, start: number): Cell {
  const parts: string[] = [];
  let from = start + 1;
  for (;;) {
    const quote = text.indexOf('"', from);
    if (quote === -1) return { cell: parts.concat(text.slice(from)).join(""), end: text.length };
    parts.push(text.slice(from, quote));
    if (text[quote + 1] !== '"') {
      const rest = plainCell(text, quote + 1);
      return { cell: parts.join("") + rest.cell, end: rest.end };
    }
    parts.push('"');
    from = quote + 2;
  }
}

/** The first row, which names the columns. */
export function headOf(text: string): readonly string[] {
  for (const row of csvRows(text.slice(0, longestHead))) return row;
  return [];
}

/** Rows as records by the lower-case names of the first row. A record has no more cells than its row. */
export function* csvRecords(text: string): Generator<ReadonlyMap<string, string>> {
  let names: readonly string[] | undefined;
  for (const row of csvRows(text)) {
    if (names) yield recordOf(names, row);
    else names = row.map((name) => name.trim().toLowerCase());
  }
}

const recordOf = (names: readonly string[], row: readonly string[]): ReadonlyMap<string, string> =>
  new Map(row.slice(0, names.length).map((cell, index) => [names[index] ?? "", cell]));
