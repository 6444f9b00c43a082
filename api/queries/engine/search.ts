import { type Expression, type SqlBool, sql } from "kysely";
import { DatabaseFailure, wasStopped } from "../../../shared/db/database-failure.ts";
import { folded } from "../../../shared/domain/folding.ts";
import { invalid, type Refused } from "../../../shared/errors.ts";

/** Ranges of all scripts with case or accents; going through all of Unicode would take a second. */
const ranges = [
  [0x41, 0x58f],
  [0x10a0, 0x10ff],
  [0x13a0, 0x13fd],
  [0x1c80, 0x24ff],
  [0x2c00, 0x2dff],
  [0xa640, 0xa7ff],
  [0xab30, 0xabbf],
  [0xff21, 0xff5a],
  [0x10400, 0x105ff],
  [0x10c80, 0x10d8f],
  [0x118a0, 0x118df],
  [0x16e40, 0x16eff],
  [0x1e900, 0x1e943],
] as const;

/** The characters are listed, because PostgreSQL's class of blanks depends on the locale of the database. */
const blanks = "[\\t-\\r \\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff]+";

let variants: ReadonlyMap<string, string> | undefined;

/** Maps each folded letter or pair to all characters that fold to it. It is made at the first search. */
function variantsOf(letter: string): string {
  variants ??= foldedCharacters();
  return variants.get(letter) ?? "";
}

function foldedCharacters(): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const [first, last] of ranges)
    for (let code = first; code <= last; code++) {
      const character = String.fromCodePoint(code);
      const letter = folded(character);
      if (/^\p{L}+$/u.test(character) && letter !== "")
        found.set(letter, (found.get(letter) ?? "") + character);
    }
  return found;
}

/**
 * A regular expression of PostgreSQL that finds `q` regardless of case and accents. It takes a fifth of the time of
 * folding every text in SQL, and depends on no locale. Nothing in `q` is a wildcard.
 */
export function searchPattern(q: string): string {
  const text = folded(q) || q;
  return text.replace(/ss|ae|oe|\s+|./gsu, (part) => {
    if (/^\s/.test(part)) return `${blanks}${marks}`;
    const single = Array.from(part, oneOf).join("");
    const joined = part.length > 1 ? variantsOf(part) : "";
    return joined === "" ? single : `(?:${single}|[${joined}])`;
  });
}

/** Marks that no composed character includes: a text can have them after any character. */
const marks = "[\u0300-\u036f]*";

/** The character class with all forms of a character. */
function oneOf(character: string): string {
  const forms = variantsOf(character);
  if (forms !== "") return `[${forms.includes(character) ? forms : forms + character}]${marks}`;
  return `${/[!-/:-@[-`{-~]/.test(character) ? "\\" : ""}${character}${marks}`;
}

/** PostgreSQL tries each pattern on each row, and caches only 32 compiled patterns. */
const mostWords = 8;

/** The words of a search. The rest after the first ones is one pattern, unsplit. */
function wordsOf(q: string): readonly string[] {
  const words = q.trim().split(/\s+/u);
  const rest = words.slice(mostWords - 1).join(" ");
  return [...new Set([...words.slice(0, mostWords - 1), ...(rest === "" ? [] : [rest])])];
}

/** The value for `hasText`; undefined without a search. */
export const patternsOf = (q: string | undefined): readonly string[] | undefined =>
  q === undefined ? undefined : wordsOf(q).map(searchPattern);

/** Matches if the columns together have each word, in any order. No index serves it: each row is examined. */
export const hasText = (
  columns: readonly Expression<unknown>[],
  patterns: Expression<readonly string[]>,
): Expression<SqlBool> => sql`concat_ws(chr(10), ${sql.join(columns)}) ~ all(${patterns})`;

const stopped = "This search took too long and was stopped. Narrow it with more filters, or try again.";

/** A search that PostgreSQL stopped is refused, because a repeat would be stopped as well, unless it reads less. */
export async function orStopped<Result>(field: string, search: Promise<Result>): Promise<Result | Refused> {
  try {
    return await search;
  } catch (error) {
    if (error instanceof DatabaseFailure && wasStopped(error.cause)) return invalid({ [field]: [stopped] });
    throw error;
  }
}
