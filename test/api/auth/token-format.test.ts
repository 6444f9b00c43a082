import { expect, test } from "bun:test";
import { join } from "node:path";
import { isMistypedToken, newPersonalToken } from "../../../api/auth/token-format.ts";

const tokens = Array.from({ length: 500 }, newPersonalToken);

test("the expression for scanners in docs/security.md finds every personal token", async () => {
  const page = await Bun.file(join(import.meta.dir, "../../../docs/security.md")).text();
  const [, expression = "nothing"] = /`(kept_\[\S+)`/.exec(page) ?? [];
  for (const token of tokens) expect(`KEY="${token}"`.match(new RegExp(expression))?.[0]).toBe(token);
  expect(new Set(tokens).size).toBe(tokens.length);
});

test("a token with one character changed was never one", () => {
  for (const token of tokens) {
    expect(isMistypedToken(token)).toBe(false);
    const at = 5 + Math.floor(Math.random() * 49);
    const other = token[at] === "x" ? "y" : "x";
    expect(isMistypedToken(token.slice(0, at) + other + token.slice(at + 1))).toBe(true);
  }
});

test("what has another form is no mistyped personal token: older tokens and those of apps are looked up", () => {
  const [token = ""] = tokens;
  for (const other of ["", "kept_", "x".repeat(43), `kept_${"x".repeat(38)}`, `${token}x`, ` ${token}`])
    expect(isMistypedToken(other)).toBe(false);
});
