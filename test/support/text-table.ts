/** The words of a text. */
export const wordsIn = (text: string): string[] => text.trim().split(/\s+/);

/** The rows of a table in a text, one a line, whose columns two spaces or more separate. */
export const rowsIn = (text: string): string[][] =>
  text
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/ {2,}/));
