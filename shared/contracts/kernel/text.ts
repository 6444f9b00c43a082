/**
 * True if a text has parts that people do not see and programs read; agents read all names and titles. Ordinary
 * invisible characters pass: emoji sequences, joiners inside words, word breaks of scripts without spaces.
 */
function hidesText(text: string): boolean {
  const withoutFlags = text.replace(subdivisionFlags, "");
  return hidden.some((pattern) => pattern.test(withoutFlags)) || (text.trim() !== "" && !visible.test(text));
}

/** England, Scotland and Wales: the only ordinary use of tag characters (Unicode emoji, RGI set). */
const subdivisionFlags =
  /\u{1F3F4}\u{E0067}\u{E0062}(?:\u{E0065}\u{E006E}\u{E0067}|\u{E0073}\u{E0063}\u{E0074}|\u{E0077}\u{E006C}\u{E0073})\u{E007F}/gu;

const unspacedScripts =
  "\\p{scx=Khmer}\\p{scx=Thai}\\p{scx=Lao}\\p{scx=Myanmar}\\p{scx=Tibetan}\\p{scx=Javanese}\\p{scx=Balinese}";

const hidden: readonly RegExp[] = [
  // Tags, bidirectional overrides and isolates, invisible operators, fillers, annotations.
  /[\u{E0000}-\u{E007F}\u202A-\u202E\u2060-\u206F\uFEFF\uFFF9-\uFFFB\u3164\uFFA0\u180E]/u,
  // A joiner belongs after a letter, a mark or an emoji; a direction mark or a word break stands alone.
  /(?<![\p{L}[\p{M}--[\uFE00-\uFE0F\u{E0100}-\u{E01EF}]]\p{Extended_Pictographic}\p{Emoji_Modifier}]|\p{Extended_Pictographic}\uFE0F)[\u200C\u200D]/v,
  /[\u200E\u200F\u061C]{2}/u,
  new RegExp(`(?<![${unspacedScripts}])\\u200B|\\u200B(?![${unspacedScripts}])`, "u"),
  // A variation selector belongs after the one character that it varies.
  /(?<![\p{L}\p{N}\p{S}\p{P}])[\uFE00-\uFE0F]/u,
  /(?<!\p{sc=Han})[\u{E0100}-\u{E01EF}]/u,
  /(?<!\p{sc=Mongolian})[\u180B-\u180D\u180F]/u,
];

/** Visible characters. U+2800 is a Braille pattern without dots; U+115F and U+1160 fill up Korean syllables. */
const visible = /[^\p{Z}\p{C}\p{Default_Ignorable_Code_Point}\u2800\u115F\u1160]/u;

export const isLine = (text: string): boolean => isClean(text, /\p{Cc}/u);
export const isParagraph = (text: string): boolean => isClean(text, /[^\P{Cc}\n\t\r]/u);

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
