import { distance } from "fastest-levenshtein";
import type { FieldProblems, Problem } from "../../../shared/errors.ts";
import { printable } from "../printable.ts";

/**
 * The names that a part of a request may contain. `what` completes the sentence "… is not …", as in "a field of a
 * todo".
 */
export type KnownNames = Readonly<{
  what: string;
  names: readonly string[];
  /** Names that may be sent and have no effect. */
  ignored?: readonly string[];
  /** Lists the known names once, even if one of them is similar. */
  alwaysListed?: boolean;
}>;

/** The number of unknown names in a refusal, and the characters shown of each. */
const mostNamed = 10;
const maxShown = 64;
/** A longer list of known names would hide the reason. */
const maxListed = 16;

/** @returns a refusal for each name that is not known, naming the nearest known one or all that there are */
export function unknownNames(sent: readonly string[], known: KnownNames): FieldProblems {
  const unknown = sent.filter((name) => !known.names.includes(name) && !known.ignored?.includes(name));
  const problems = unknown.slice(0, mostNamed).map((name, index) => {
    const shown = printable(name.slice(0, maxShown));
    return [shown, [problemOf(shown, known, index === 0)]];
  });
  return Object.fromEntries(problems);
}

function problemOf(name: string, { what, names, alwaysListed }: KnownNames, isFirst: boolean): Problem {
  const nearest = nearestName(name, names);
  const isListed = alwaysListed ? isFirst : nearest === undefined && names.length <= maxListed;
  const list = isListed ? `, which takes ${names.join(", ") || "none"}` : "";
  const reason = `${name} is not ${what}${list}`;
  return nearest === undefined ? `${reason}.` : { reason, next: `did you mean ${nearest}?` };
}

/** @returns the known name that begins or ends like the given one, or that a few letters turn it into */
function nearestName(name: string, known: readonly string[]): string | undefined {
  const plain = plainName(name);
  const near = known
    .map((one) => ({ one, letters: lettersBetween(plain, plainName(one)) }))
    .filter(({ letters }) => letters !== undefined)
    .toSorted((a, b) => (a.letters ?? 0) - (b.letters ?? 0));
  return near[0]?.one;
}

/** The plain form makes dueDate and due-date equal due_date. */
const plainName = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, "");

const shortestPart = 2;
/** The part of a name's letters that may be wrong. */
const alikeShare = 0.4;

/** @returns undefined when the names are not alike */
function lettersBetween(sent: string, known: string): number | undefined {
  const [short, long] = sent.length < known.length ? [sent, known] : [known, sent];
  const isPart = short.length >= shortestPart && (long.startsWith(short) || long.endsWith(short));
  const letters = distance(sent, known);
  return isPart || letters <= Math.floor(short.length * alikeShare) ? letters : undefined;
}
