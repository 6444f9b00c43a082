import { expect, test } from "bun:test";
import { csvLine } from "../../../../../api/doors/pages/kit/csv.ts";

/** A spreadsheet may begin a cell here, whatever its separator and its rule for quotation marks. */
const beginnings = (line: string) => line.split(/","|[;\t\r\n]/).map((cell) => cell.replace(/^[\s"]+/, ""));

test.each([
  ...["=1+1", " =1", "\u00a0=1", "＝1", "+1", "-1", "@x", "|x", "%x"],
  ...["y;=cmd|' /C calc'!A0;z", "a\t=1", "a\n=1", "a\r\n =1", 'y;"=1', 'y;""=1', ";;=1", "a; +1"],
])("no cell is a formula, wherever a spreadsheet splits: %j", (text) => {
  const line = csvLine(["a", text, "z"]);
  expect(beginnings(line).filter((cell) => /^[=+\-@＝＋－＠|%]/.test(cell))).toEqual([]);
});

test("other cells stay as they are", () => {
  expect(csvLine(["a-b; c=d", 1, null, 'say "so"'])).toBe('"a-b; c=d","1","","say ""so"""\r\n');
  expect(csvLine([true, false, undefined, "", { a: [1] }])).toBe('"true","false","","","{""a"":[1]}"\r\n');
});
