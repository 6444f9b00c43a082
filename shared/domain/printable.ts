/** Text from outside as Postgres can store it and as no terminal or log can be steered by it. */
export const printable = (text: string): string =>
  text.toWellFormed().replace(/[\p{Cc}\p{Bidi_Control}]/gu, "\u{FFFD}");
