import { expect, test } from "bun:test";
import { categoriesNamed, unknownCategory } from "../../../../shared/domain/category/by-name.ts";
import { folded } from "../../../../shared/domain/folding.ts";

const categories = ["Home", "home", "Büro", "Work"].map((name, index) => ({ id: index + 1, name }));
const idsOf = (name: string) => categoriesNamed(categories, name).map(({ id }) => id);

test("a name means the categories of exactly this name, else those alike but for case and accents", () => {
  expect(idsOf("home")).toEqual([2]);
  expect(idsOf("HOME")).toEqual([1, 2]);
  expect(idsOf("buro")).toEqual([3]);
  expect(idsOf("Garden")).toEqual([]);
});

test("the refusal of an unknown name lists the known ones, each once and twenty at most", () => {
  expect(unknownCategory([...categories, { name: "Work" }])).toBe(
    'The category field must name a category: "Home", "home", "Büro", "Work".',
  );
  const many = Array.from({ length: 23 }, (_, n) => ({ name: `c${n}` }));
  expect(unknownCategory(many)).toEndWith('"c19" and 3 more.');
  expect(unknownCategory([])).toContain("none yet");
});

test("many long names are folded once, however often one of them is looked for", () => {
  const long = Array.from({ length: 1_000 }, (_, n) => ({ name: `${"é".repeat(250)}${n}` }));
  // Time of the processor, because other processes lengthen any other.
  const began = process.cpuUsage();
  for (let n = 0; n < 100; n++) expect(categoriesNamed(long, `absent ${n}`)).toEqual([]);
  expect(process.cpuUsage(began).user).toBeLessThan(500_000);
});

test("folding takes off case, accents and ligatures, and leaves other scripts readable", () => {
  expect(["Straße", "ÉCOLE", "Łódź", "Ǿ", "Ægir", "ΟΔΌΣ", "Ёлка", "ガ"].map(folded)).toEqual([
    ...["strasse", "ecole", "lodz", "o", "aegir", "οδοσ", "елка", "ガ"],
  ]);
});
