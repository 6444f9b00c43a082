/** The lines of an iCalendar object (RFC 5545 §3.1), whose names and parameters are ours and whose texts are a person's. */

const mostOctets = 75;

/** A property with a text as its value. */
export const textLine = (name: string, text: string): string => `${name}:${escaped(text)}`;

/** §3.3.11; what no line may have is left out. */
const escaped = (text: string): string =>
  text
    .replace(/[\\;,]/g, "\\$&")
    .replace(/\r\n?|\n/g, "\\n")
    .replace(/[^\P{Cc}\t]/gu, "");

/** Joins lines, folding those that are too long: at octets of UTF-8, and never within a character. */
export const joinLines = (lines: readonly string[]): string =>
  lines.map((line) => `${folded(line)}\r\n`).join("");

function folded(line: string): string {
  if (Buffer.byteLength(line) <= mostOctets) return line;
  let [text, octets] = ["", 0];
  for (const character of line) {
    const own = Buffer.byteLength(character);
    if (octets + own > mostOctets) {
      text += "\r\n ";
      octets = 1;
    }
    text += character;
    octets += own;
  }
  return text;
}
