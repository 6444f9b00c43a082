import { type Expression, type SqlBool, sql } from "kysely";
import { DatabaseFailure, wasStopped } from "../../../shared/db/database-failure.ts";
import { folded, marks } from "../../../shared/domain/folding.ts";
import { invalid, type Refused } from "../../../shared/errors.ts";

/** Ranges of all scripts with case or accents, of signs and of widths; going through all of Unicode would take a second. */
const ranges = [
  [0x21, 0x6ff],
  [0xe33, 0xedd],
  [0x10a0, 0x10ff],
  [0x13a0, 0x13fd],
  [0x1c80, 0x24ff],
  [0x2c00, 0x2dff],
  [0x309f, 0x318e],
  [0xa640, 0xa7ff],
  [0xab30, 0xabbf],
  [0xfb00, 0xfefc],
  [0xff01, 0xffef],
  [0x10400, 0x107ba],
  [0x10c80, 0x10d8f],
  [0x118a0, 0x118df],
  [0x16e40, 0x16eff],
  [0x1d400, 0x1d7ff],
  [0x1e030, 0x1e06d],
  [0x1e900, 0x1eebb],
] as const;

/** The characters are listed, because PostgreSQL's class of blanks depends on the locale of the database. */
const blanks = "[\\t-\\r \\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff]+";

type Variants = Readonly<{ of: ReadonlyMap<string, readonly string[]>; tokens: RegExp }>;
let known: Variants | undefined;

/** Maps each folded letter or group to all texts that fold to it. It is made at the first search. */
function variants(): Variants {
  if (known) return known;
  const of = Map.groupBy(unfolded(), folded);
  // Circled numbers would take apart what ½ folds to.
  const groups = [...of.keys()].filter((text) => Array.from(text).length > 1 && !/\s|^\d+$/.test(text));
  const longFirst = groups.sort((one, other) => other.length - one.length);
  known = { of, tokens: new RegExp(`${longFirst.map(RegExp.escape).join("|")}|\\s+|.`, "gsu") };
  return known;
}

function* unfolded(): Generator<string> {
  for (const [first, last] of ranges)
    for (let code = first; code <= last; code++) {
      const character = String.fromCodePoint(code);
      if (!/[\s\p{M}\p{Cn}]/u.test(character)) yield character;
    }
  // Katakana of half width have their voicing beside them.
  for (let code = 0xff66; code <= 0xff9d; code++)
    yield* ["\uff9e", "\uff9f"].map((voicing) => String.fromCharCode(code) + voicing);
}

/**
 * A regular expression of PostgreSQL that finds `q` regardless of case and accents. It takes a fifth of the time of
 * folding every text in SQL, and depends on no locale. Nothing in `q` is a wildcard.
 */
export function searchPattern(q: string): string {
  return (folded(q) || q).replace(variants().tokens, (part) => {
    if (/^\s/.test(part)) return `${blanks}${anyMarks}`;
    const letters = Array.from(part);
    const single = letters.map(oneOf).join("");
    return letters.length === 1 ? single : `(?:${[single, ...formsOf(part).map(escaped)].join("|")})`;
  });
}

/** Marks that no composed character includes: a text can have them after any character. */
const anyMarks = `${marks}*`;

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");

const formsOf = (text: string): readonly string[] => variants().of.get(text) ?? [];

/** All forms of a character: a class, and kana with a voicing. */
function oneOf(character: string): string {
  const forms = [...new Set([character, ...formsOf(character)])];
  const { one = [], pair = [] } = Object.groupBy(forms, (form) =>
    Array.from(form).length === 1 ? "one" : "pair",
  );
  return `(?:${[`[${one.map(escaped).join("").replace("-", "\\-")}]`, ...pair].join("|")})${anyMarks}`;
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
