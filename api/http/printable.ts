/** Removes from untrusted text what PostgreSQL cannot store and what could control a terminal or a log. */
export const printable = (text: string): string =>
  text.toWellFormed().replace(/[\p{Cc}\p{Bidi_Control}]/gu, "\u{FFFD}");
