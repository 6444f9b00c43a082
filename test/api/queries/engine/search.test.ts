import { expect, test } from "bun:test";
import { searchPattern } from "../../../../api/queries/engine/search.ts";

const lastCodePoint = 0x10ffff;

test("every letter is found by its own pattern", () => {
  const lost: string[] = [];
  for (let code = 0; code <= lastCodePoint; code++) {
    const letter = String.fromCodePoint(code).normalize("NFC");
    if (!/^\p{L}$/u.test(letter)) continue;
    const pattern = searchPattern(letter);
    if (pattern.startsWith(letter)) continue;
    if (!new RegExp(`^${pattern}$`, "u").test(letter)) lost.push(code.toString(16));
  }
  expect(lost).toEqual([]);
});

test("letters of scripts with case are found in the other case", () => {
  for (const [q, text] of [
    ["სახლი", "ᲡᲐᲮᲚᲘ"],
    ["ｐｃ", "ＰＣ"],
    ["ᏣᎳᎩ", "ꮳꮃꭹ"],
    ["𐐔𐐯𐑅𐐨𐑉𐐯𐐻", "𐐼𐐯𐑅𐐨𐑉𐐯𐐻"],
  ] as const)
    for (const [one, other] of [
      [q, text],
      [text, q],
    ] as const)
      expect([one, new RegExp(`^${searchPattern(one)}$`, "u").test(other)]).toEqual([one, true]);
});
