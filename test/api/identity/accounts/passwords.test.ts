import { expect, test } from "bun:test";
import { isCommon, isMadeOfNames } from "../../../../api/identity/accounts/passwords.ts";

const email = "ada.lovelace@example.org";
const config = { baseUrl: "https://todo.example.net" };

test.each([
  ["1234567890", true],
  ["qwertyuiop", true],
  ["aaaaaaaaaa", true],
  ["password123", true],
  ["PASSWORD123", true],
  ["qwertyuiop-", false],
  ["correct horse battery", false],
  ["123456\npassword", false],
])("whether %p is a common password: %p", async (password, is) => {
  expect(await isCommon(password, email)).toBe(is);
});

test.each([
  ["ada.lovelace@example.org", true],
  ["Ada Lovelace", true],
  ["lovelace1815", true],
  ["kept-kept-kept", true],
  ["Kept2026!!", true],
  ["todo.example.net", true],
  ["lovelace horse", true],
  ["lovelace and babbage", false],
  ["1815181518", false],
  ["!!!!!!!!!!", false],
])("whether %p is made of the person's and the service's names: %p", (password, is) => {
  expect(isMadeOfNames(password, email, config)).toBe(is);
});
