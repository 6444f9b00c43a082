import { expect, test } from "bun:test";
import { list, textOf } from "./sources.ts";

const files = ["api", "workers", "shared", "test"]
  .flatMap((folder) => list(`${folder}/**/*.{ts,js,css}`))
  .sort();

/**
 * Words that open a relative clause, a genitive or a fragment, in which the reader looks for the subject in vain. A
 * missing verb is not refused: names of types are noun phrases, and no short rule tells one from the other.
 */
const fragments =
  "what|whatever|of|who|whoever|whose|whom|where|that|those|why|which|how|whether|than|as(?! above)";
const opening = new RegExp(
  `^(${fragments}|(by|in|for|on|to|from|with|at|under|after) (which|whom|whose|what))\\b`,
  "i",
);
/** Words of a private dialect, each with a plain synonym. */
const dialect =
  /\b(such(?! as\b)|by now|for ever|ours|deeds?|fates?|diar(y|ies)|regrets?|obstacles?|hindered)\b/i;

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
