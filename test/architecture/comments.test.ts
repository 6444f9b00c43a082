import { expect, test } from "bun:test";
import { list, textOf } from "./sources.ts";

const files = ["api", "workers", "shared", "test"]
  .flatMap((folder) => list(`${folder}/**/*.{ts,js,css}`))
  .sort();

/** A relative clause or a genitive in front hides the subject from the reader. */
const opening =
  /^(what|of|who|whose|whom|where|that|why|which|(by|in|for|on|to|from|with|at|under|after) (which|whom|whose|what))\b/i;
const dialect = /\b(such(?! as\b)|by now|for ever)\b/i;

type Line = Readonly<{ text: string; number: number; opens: boolean }>;

/** The lines of comments, each with whether a comment begins in it. */
function commentsIn(text: string): Line[] {
  let inside = false;
  return text.split("\n").flatMap((line, index) => {
    const own = /^\s*(?:\/\/|\/\*\*?|\*(?!\/))(?:\s+(.*?))?(?:\s*\*\/)?$/.exec(line);
    const found = own ?? /\s(?:\/\/|\/\*) (.*)$/.exec(line);
    if (!found) inside = false;
    if (!found?.[1]) return [];
    const opens = !inside;
    inside = own !== null && !line.trimEnd().endsWith("*/");
    return [{ text: found[1], number: index + 1, opens }];
  });
}

test("comments open with their subject and use plain words", async () => {
  const wrong: string[] = [];
  for (const path of files) {
    const odd = commentsIn(await textOf(path)).filter(
      ({ text, opens }) => (opens && opening.test(text)) || dialect.test(text),
    );
    wrong.push(...odd.map(({ text, number }) => `${path}:${number} ${text}`));
  }
  expect(wrong).toEqual([]);
});
