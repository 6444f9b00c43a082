import { expect, test } from "bun:test";
import {
  importer,
  nameOfAuthor,
  otherAuthor,
  signedChange,
  signedNew,
  storedAuthor,
} from "../../../shared/domain/author.ts";

const claude = storedAuthor({ tokenId: "t1", name: "Claude" });

const nameless = storedAuthor({ tokenId: "t1", name: null });
const [app, person] = [
  { tokenId: "t1", name: "Claude" },
  { tokenId: "", name: null },
];

test.each([
  [null, app, null],
  [claude, app, null],
  [claude, { ...app, tokenId: "t2" }, null],
  [claude, { tokenId: "t1", name: "Todo Bot" }, "Claude"],
  [claude, person, "Claude"],
  [nameless, { tokenId: "t1", name: null }, null],
  [nameless, { tokenId: "t", name: null }, "an app without a name"],
  [storedAuthor(importer), app, "import"],
  [storedAuthor(importer), person, "import"],
])("%j, shown to %j, has the writer %j", (stored, reader, name) => {
  expect(otherAuthor(stored, reader)).toBe(name);
});

test("the person has no name", () => {
  expect(nameOfAuthor(null)).toBeNull();
});

const row = { title: "Rent", description: null, ...signedNew(null) };

test.each([
  [
    { title: "Pay rent", updated_at: "now" },
    { changed_by: claude, written_by: claude },
  ],
  [
    { description: "By the first", updated_at: "now" },
    { changed_by: claude, written_by: claude },
  ],
  [{ title: "Rent", due_date: "2026-12-01", updated_at: "now" }, { changed_by: claude }],
  [{ category_id: null }, {}],
])("a change of %j signs the row %j", (patch, signed) => {
  expect(signedChange(claude, row, patch)).toEqual(signed);
});
