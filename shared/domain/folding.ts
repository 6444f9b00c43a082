/** Accents, soft hyphens, points of Hebrew, and marks of Arabic with its lengthening stroke, as a class of characters. */
export const marks =
  "[\u00ad\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed]";
const allMarks = new RegExp(marks, "g");

/** Characters for one that Unicode neither separates nor joins: letters with a stroke, quotes and dashes. */
const alike: Readonly<Record<string, string>> = {
  ...{ o: "ø", l: "ł", d: "đ", h: "ħ", i: "ı", σ: "ς", ss: "ß", ae: "æ", oe: "œ" },
  ...{ "'": "‘’‚‛′ʼʻ`", '"': "“”„‟«»", "-": "‐‒–—―−" },
};
const plain = new Map(
  Object.entries(alike).flatMap(([one, others]) => Array.from(others, (other) => [other, one] as const)),
);
const special = new RegExp(`[${[...plain.keys()].join("")}]`, "g");

/**
 * A text without case, accents, kinds of quotes and dashes, and width, as people compare words: "Straße" and "STRASSE"
 * are the same. Signs such as ㎏ stay, because a search would ask for them at each k and g, and so do those of words.
 */
export const folded = (text: string): string =>
  text
    // Unicode takes this accent apart into a blank and a mark, but people type it as an apostrophe.
    .replaceAll("´", "'")
    .replace(/[^\u037a\u3200-\u33ff\ufc5e-\ufc63\ufdfa\ufdfb\ufe70-\ufe7f]+/g, (part) =>
      part.normalize("NFKD"),
    )
    .replace(allMarks, "")
    .toLowerCase()
    .replace(special, (character) => plain.get(character) ?? character)
    .normalize("NFC");
