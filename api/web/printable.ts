/**
 * Makes untrusted text safe: without anything that PostgreSQL cannot store or that could control a terminal or a log.
 */
export const printable = (text: string): string =>
  text.toWellFormed().replace(/[\p{Cc}\p{Bidi_Control}]/gu, "\u{FFFD}");
