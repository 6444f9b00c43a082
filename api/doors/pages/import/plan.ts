import { categoryFields } from "../../../../shared/contracts/category/fields.ts";
import { habitFields } from "../../../../shared/contracts/habit/fields.ts";
import {
  firstDate,
  ImportedCategory,
  ImportedHabit,
  ImportedHistory,
  type ImportedKind,
  type ImportedThings,
  ImportedTodo,
  maxImported,
} from "../../../../shared/contracts/import/contracts.ts";
import type { DeclaredFields } from "../../../../shared/contracts/kernel/declared-fields.ts";
import { todoFields } from "../../../../shared/contracts/todo/fields.ts";
import { firstOccurrence, parseRecurrence } from "../../../../shared/domain/todo/recurrence.ts";
import { isRefused } from "../../../../shared/errors.ts";
import { type Fields, validate } from "../../../http/input.ts";
import type { Here, ThingOfFile } from "../../../queries/import/read.ts";
import { countInWords } from "../kit/words.ts";
import { datesOfSums, onDays } from "./parts.ts";
import {
  type Finding,
  type FoundThing,
  type Left,
  left,
  mostFound,
  type ReadingContext,
  type ReadThing,
  sizeOfHistory,
  type TextFile,
} from "./readers/found.ts";
import { readFiles } from "./readers/read-files.ts";

/** The things that an upload would make. */
export type ImportPlan = Readonly<{
  things: { [Kind in keyof ImportedThings]: ImportedThings[Kind][] };
  /** The categories that are not here; others only receive things. */
  newCategories: readonly ImportedThings["categories"][];
  completions: number;
  /** The number of things that exist already. */
  here: number;
  /** The number of things that do not fit into one import. */
  later: number;
  /** The first things that are not imported, or not whole; `leftCount` has the number of all. */
  left: readonly Left[];
  leftCount: number;
}>;

/** A read of more things at a time would exceed the database's time limit. */
const askedAtOnce = 5_000;

/** Tells for each thing whether it exists already. */
export type AreHere = (things: readonly ThingOfFile[]) => Promise<readonly (Here | undefined)[]>;
type AllHere = ReadonlyMap<string, Here>;
type Histories = ReadonlyMap<string, readonly History[]>;
type History = ImportedThings["histories"];

/** Reads files and asks which of their things exist already. */
export async function planImport(
  areHere: AreHere,
  files: readonly TextFile[],
  context: ReadingContext,
): Promise<ImportPlan> {
  const { found, ...summary } = collect(files, context);
  const histories = Map.groupBy(
    found.flatMap(({ kind, thing }) => (kind === "histories" ? [thing] : [])),
    ({ habit }) => habit,
  );
  const here = await lookFor(found, histories, areHere);
  const { coming, later } = withinLimits(found, histories, here);
  const things: ImportPlan["things"] = { categories: [], habits: [], histories: [], todos: [] };
  for (const { kind, thing } of coming) {
    const list: unknown[] = things[kind];
    list.push(thing);
  }
  const newCategories = things.categories.filter(({ key }) => !here.has(key));
  const completions = things.histories.reduce((sum, { dates }) => sum + dates.length, 0);
  return { ...summary, things, newCategories, completions, here: here.size, later };
}

async function lookFor(
  found: readonly FoundThing[],
  histories: Histories,
  areHere: AreHere,
): Promise<AllHere> {
  const things = found.flatMap(({ kind, thing, origin }): ThingOfFile[] => {
    if (kind === "histories") return [];
    const dates = histories.get(thing.key)?.flatMap((one) => [...one.dates, ...datesOfSums(one)]);
    const more = { ...(origin && { origin }), ...(dates && { dates: [...new Set(dates)] }) };
    return [{ kind, key: thing.key, ...more, ...(kind === "categories" && { name: thing.name }) }];
  });
  const all = new Map<string, Here>();
  for (let at = 0; at < things.length; at += askedAtOnce) {
    const some = things.slice(at, at + askedAtOnce);
    const here = await areHere(some);
    for (const [index, { key }] of some.entries()) {
      const one = here[index];
      if (one) all.set(key, one);
    }
  }
  return all;
}

/**
 * Takes as much as one import allows, in the order of the files. Things of a later import name their category by its
 * key again.
 */
function withinLimits(found: readonly FoundThing[], histories: Histories, here: AllHere) {
  const used = new Set(
    found.map(({ thing }) => ("category" in thing && !here.has(thing.key) ? thing.category : null)),
  );
  const room = createRoom();
  const coming: FoundThing[] = [];
  let later = 0;
  for (const one of found) {
    const { kind, thing } = one;
    if (kind === "histories") {
      const { missing = [], id = null } = here.get(thing.habit) ?? {};
      const some = new Set(room.daysOf(missing));
      if (some.size > 0) coming.push({ kind, thing: onDays({ ...thing, id }, some) });
      later += some.size < missing.length ? 1 : 0;
    } else if (kind === "categories" ? used.has(thing.key) || isOwn(one, here) : !here.has(thing.key)) {
      const history = kind === "habits" ? (histories.get(thing.key) ?? []) : [];
      const fits = room.takes(
        [thing, ...history],
        history.reduce((sum, days) => sum + sizeOfHistory(days), 0),
      );
      if (fits) coming.push(one, ...history.map((days) => ({ kind: "histories", thing: days }) as const));
      later += fits ? 0 : 1;
    }
  }
  return { coming, later };
}

/** An empty category comes only from a file by Kept: others are names of lists, even of one whose tasks are here. */
const isOwn = ({ thing, origin }: FoundThing, here: AllHere): boolean =>
  "key" in thing && origin !== undefined && !here.has(thing.key);

const pastDays = (history: History, { today }: ReadingContext): ReadonlySet<string> =>
  new Set(
    [...history.dates, ...datesOfSums(history)].filter((date) => firstDate <= date && date <= today.date),
  );

/** The room that an import still has, for a thing with its history and for days of habits that are here. */
function createRoom() {
  const room: Record<keyof typeof maxImported, number> = { ...maxImported };
  return {
    takes(thing: readonly object[], days: number): boolean {
      if (room.things === 0 || days > room.completions) return false;
      const { length } = JSON.stringify(thing);
      if (length > room.length) return false;
      room.things -= 1;
      room.completions -= days;
      room.length -= length;
      return true;
    },
    daysOf(missing: readonly string[]): readonly string[] {
      const some = missing.slice(0, room.added);
      room.added -= some.length;
      return some;
    },
  };
}

const mostLeftShown = 100;

/** Characters of JSON, enough for the largest files. Things may repeat text that their file has once. */
const mostLength = 32_000_000;

/** The things in the files; `left` has the first ones that are not imported, `leftCount` the number of all. */
type Collection = Readonly<{ found: readonly FoundThing[]; left: readonly Left[]; leftCount: number }>;

export function collect(files: readonly TextFile[], context: ReadingContext): Collection {
  const check = createChecker(context);
  const [found, shown, keys]: [FoundThing[], Left[], Set<string>] = [[], [], new Set()];
  let [leftCount, length] = [0, 0];
  const leave = (one: Left) => {
    leftCount += 1;
    if (shown.length < mostLeftShown) shown.push(one);
  };
  const take = (one: FoundThing) => {
    const { thing } = one;
    if ("key" in thing && keys.has(thing.key)) return leave(twice(thing));
    if ("key" in thing) keys.add(thing.key);
    found.push(one);
    length += JSON.stringify(thing).length;
  };
  for (const one of readFiles(files, context)) {
    if (found.length + leftCount >= mostFound || length > mostLength)
      return { found, left: [endMissing, ...shown], leftCount: leftCount + 1 };
    // Each task of a list brings its category.
    if (one.kind === "categories" && keys.has(one.thing.key)) continue;
    for (const checked of isLeft(one) ? [one] : check(one))
      if (isLeft(checked)) leave(checked);
      else take(checked);
  }
  return { found, left: shown, leftCount };
}

const endMissing = left(
  "",
  "These files are too long for one upload, so their end was left out. Choose smaller ones.",
);

const twice = ({ name = "", title = name }: Readonly<{ name?: string; title?: string }>): Left =>
  left(title, "It is in these files twice, and comes once.");

const schemas = {
  categories: ImportedCategory,
  habits: ImportedHabit,
  histories: ImportedHistory,
  todos: ImportedTodo,
} as const;

const declared: Readonly<Record<ImportedKind, DeclaredFields>> = {
  categories: categoryFields,
  habits: habitFields,
  histories: {},
  todos: todoFields,
};

/** Checking a rule takes milliseconds. */
const mostRules = maxImported.things;
const longestName = 255;
const longestDescription = 5_000;

/**
 * Checks the things of an upload by the same rules as typed ones.
 * @returns a function that gives a thing as Kept can store it, and the parts that are left out with reasons
 */
function createChecker(context: ReadingContext): (found: ReadThing) => (FoundThing | Left)[] {
  const parse = createRules(context);
  return (found) => {
    if (found.kind === "histories" && sizeOfHistory(found.thing) > maxImported.completions)
      return [left("", tooManyDays)];
    const fields = completed(found);
    const name = nameOf(fields);
    const problems = found.kind === "todos" ? repair(fields, parse) : [];
    const { shortened, lost } = shorten(fields);
    if (lost > 0)
      problems.push(`Its description is too long: its last ${countInWords(lost, "character")} stay out.`);
    const result = validate({ input: schemas[found.kind] }, shortened);
    if (isRefused(result)) return [left(name, result.refusal.message)];
    const { input } = result;
    const thing = "dates" in input ? onDays(input, pastDays(input, context)) : input;
    // The check above proves that the thing matches the schema of its kind.
    const checked = { ...found, thing } as FoundThing;
    return [checked, ...problems.map((problem) => left(name, problem))];
  };
}

const tooManyDays = `A habit comes without its days, because there are more than ${maxImported.completions.toLocaleString("en")} of them.`;

/** A rule with its first day from today on, or its error. */
type KnownRule = Readonly<{ rule: string; first: string | null }> | Readonly<{ error: string }>;
type Rules = (text: string) => KnownRule;

/** Parses each rule once. */
function createRules({ today }: ReadingContext): Rules {
  const rules = new Map<string, KnownRule>();
  return (text) => {
    const known = rules.get(text);
    if (known) return known;
    if (rules.size === mostRules) return { error: `There are more than ${mostRules} different rules.` };
    const parsed = parseRecurrence(text);
    const rule = "error" in parsed ? parsed : { ...parsed, first: firstOccurrence(parsed.rule, today.date) };
    rules.set(text, rule);
    return rule;
  };
}

/** Fills missing fields with the default or null; only a custom rhythm has a schedule. */
function completed({ kind, thing }: ReadThing): Fields {
  const given: Fields = { ...thing };
  const fields: Fields = {};
  for (const field of Object.keys(schemas[kind].properties))
    fields[field] = given[field] === undefined ? (declared[kind][field]?.usual ?? null) : given[field];
  if (kind === "habits" && fields.frequency !== "custom") fields.schedule = null;
  return fields;
}

const nameOf = ({ name, title = name }: Fields): string => (typeof title === "string" ? title : "");

/** Cuts a long name, and keeps the whole name in the description, as far as that has room. */
function shorten(fields: Fields): Readonly<{ shortened: Fields; lost: number }> {
  const field = "title" in fields ? "title" : "name";
  const [name, description] = [oneLine(fields[field]), fields.description];
  if (typeof name !== "string") return { shortened: fields, lost: 0 };
  const isLong = name.length > longestName;
  const parts = [isLong ? name : "", typeof description === "string" ? description : ""];
  const whole = parts.filter(Boolean).join("\n");
  const isCut = whole.length > longestDescription;
  const kept = isCut ? `${cut(whole, longestDescription - 1)}…` : whole;
  const shortened = {
    ...fields,
    [field]: isLong ? `${cut(name, longestName - 1)}…` : name,
    ...("description" in fields && { description: kept || null }),
  };
  return { shortened, lost: isCut ? whole.length - kept.length + 1 : 0 };
}

const oneLine = (text: unknown): unknown =>
  typeof text === "string" ? text.replace(/\s+/g, " ").trim() : text;
const cut = (text: string, most: number): string => text.slice(0, most).toWellFormed();

/**
 * Drops a rule that Kept does not support and a time without a date, so that their todo survives.
 * @returns their problems
 */
function repair(fields: Fields, parse: Rules): string[] {
  const problems: string[] = [];
  const parsed = typeof fields.recurrence === "string" ? parse(fields.recurrence) : undefined;
  if (parsed && "error" in parsed) {
    const description = [fields.description, `Repeats: ${fields.recurrence}`].filter(Boolean).join("\n");
    Object.assign(fields, { recurrence: null, recurrence_anchor: null, description });
    problems.push(`Does not repeat: ${parsed.error}`);
  } else if (parsed) {
    fields.recurrence = parsed.rule;
    fields.due_date ??= parsed.first;
    fields.recurrence_anchor ??= fields.due_date;
  }
  if (fields.due_date === null && fields.due_time !== null) {
    fields.due_time = null;
    problems.push("Comes without its due time, because it has no due date.");
  }
  return problems;
}

const isLeft = (found: Finding): found is Left => found.kind === "left";
