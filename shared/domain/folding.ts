const marks = /[\u0300-\u036f]/g;

/** Letters whose mark Unicode does not separate, and ligatures. */
const letters: Readonly<Record<string, string>> = {
  ø: "o",
  ł: "l",
  đ: "d",
  ħ: "h",
  ı: "i",
  ς: "σ",
  ß: "ss",
  æ: "ae",
  œ: "oe",
};
const special = new RegExp(`[${Object.keys(letters).join("")}]`, "g");

/** A text without case and accents, as people compare words: "Straße" and "STRASSE" are the same. */
export const folded = (text: string): string =>
  text
    .normalize("NFD")
    .replace(marks, "")
    .toLowerCase()
    .replace(special, (letter) => letters[letter] ?? letter)
    .normalize("NFC");
