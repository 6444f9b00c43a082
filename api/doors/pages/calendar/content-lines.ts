/** The lines of an iCalendar object (RFC 5545 §3.1). Kept chooses names and parameters; texts are a person's. */

const mostOctets = 75;

/** A property with a text as its value. */
export const textLine = (name: string, text: string): string => `${name}:${escaped(text)}`;

/** Escapes a text (§3.3.11) and removes characters that no line may have. */
const escaped = (text: string): string =>
  text
    .replace(/[\\;,]/g, "\\$&")
    .replace(/\r\n?|\n/g, "\\n")
    .replace(/[^\P{Cc}\t]/gu, "");

/** Joins lines and folds long ones, at octets of UTF-8 and never within a character. */
export const joinLines = (lines: readonly string[]): string =>
  lines.map((line) => `${folded(line)}\r\n`).join("");

function folded(line: string): string {
  const octets = Buffer.from(line);
  if (octets.length <= mostOctets) return line;
  const parts: string[] = [];
  for (let from = 0; from < octets.length; ) {
    // The blank at the beginning of a further line counts as one of its octets.
    let end = from + mostOctets - (from === 0 ? 0 : 1);
    while (isWithinCharacter(octets[end])) end -= 1;
    parts.push(octets.toString("utf8", from, end));
    from = end;
  }
  return parts.join("\r\n ");
}

const isWithinCharacter = (octet = 0): boolean => (octet & 0xc0) === 0x80;
