import Format from "typebox/format";
import { hidesText } from "./hidden-text.ts";

/** Formats of text that TypeBox checks and JSON Schema names. */
Format.Set("line", (text) => isClean(text, /\p{Cc}/u));
Format.Set("paragraph", (text) => isClean(text, /[^\P{Cc}\n\t\r]/u));
Format.Set("date", isCalendarDate);

/** Nearly every text passes this cheap check; the full ones would cost more than the rest of its treatment. */
const plain = /^[\x20-\x7e]*$/;

function isClean(text: string, forbidden: RegExp): boolean {
  return plain.test(text) || (text.isWellFormed() && !forbidden.test(text) && !hidesText(text));
}

/** A date that is in the calendar: 2026-02-30 is not. Years 0001 to 9999. */
export function isCalendarDate(text: string): boolean {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  if (!match || match[1] === "0000") return false;
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  const leap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  const days = [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1];
  return days !== undefined && day >= 1 && day <= days;
}

/** The one stored form of a text: NFC, one line, no outer blanks. A lone surrogate is left for the check. */
export function normaliseText(text: string, format: "line" | "paragraph"): string {
  const composed = text.normalize("NFC");
  return format === "line" ? composed.trim() : composed.replace(/\r\n?/g, "\n");
}
