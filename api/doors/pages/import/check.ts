import { categoryFields } from "../../../../shared/contracts/category/fields.ts";
import { habitFields } from "../../../../shared/contracts/habit/fields.ts";
import {
  ImportedCategory,
  ImportedHabit,
  ImportedHistory,
  type ImportedKind,
  ImportedTodo,
  maxImported,
} from "../../../../shared/contracts/import/contracts.ts";
import type { DeclaredFields } from "../../../../shared/contracts/kernel/declared-fields.ts";
import { todoFields } from "../../../../shared/contracts/todo/fields.ts";
import { firstOccurrence, parseRecurrence } from "../../../../shared/domain/todo/recurrence.ts";
import { isRefused } from "../../../../shared/errors.ts";
import { type Fields, validate } from "../../../http/input/validate.ts";
import {
  daysIn,
  type Finding,
  type FoundThing,
  type Left,
  left,
  type ReadingContext,
  type ReadThing,
} from "./readers/found.ts";

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

/** Checking a rule takes milliseconds, and real files have few rules. */
const mostRules = 200;
const longestName = 255;
const longestDescription = 5_000;

type Checker = Readonly<{
  /** @returns the thing as Kept can store it, and the parts that are left out with reasons */
  check(found: ReadThing): (FoundThing | Left)[];
}>;

/** Checks the things of an upload by the same rules as typed ones. */
export function createChecker(context: ReadingContext): Checker {
  const parse = createRules(context);
  return {
    check(found) {
      if (found.kind === "histories" && daysIn(found.thing) > maxImported.completions)
        return [left("", tooManyDays)];
      const fields = completed(found);
      const name = nameOf(fields);
      const problems = found.kind === "todos" ? repair(fields, parse) : [];
      const result = validate({ input: schemas[found.kind] }, shortened(fields));
      if (isRefused(result)) return [left(name, result.refusal.message)];
      // The check above proves that the thing matches the schema of its kind.
      const checked = { ...found, thing: result.input } as FoundThing;
      return [checked, ...problems.map((problem) => left(name, problem))];
    },
  };
}

const tooManyDays = `A habit comes without its days, because there are more than ${maxImported.completions.toLocaleString("en")} of them.`;

/** A rule with its first day from today on, or its error. */
type KnownRule = Readonly<{ rule: string; first: string | null }> | Readonly<{ error: string }>;
type Rules = (text: string) => KnownRule;

/** Parses each rule once. */
function createRules({ today }: ReadingContext): Rules {
  const rules = new Map<string, KnownRule>();
  const parse = (text: string): KnownRule => {
    if (rules.size === mostRules) return { error: `There are more than ${mostRules} different rules.` };
    const parsed = parseRecurrence(text);
    return "error" in parsed ? parsed : { ...parsed, first: firstOccurrence(parsed.rule, today.date) };
  };
  return (text) => {
    const known = rules.get(text) ?? parse(text);
    if (rules.size < mostRules) rules.set(text, known);
    return known;
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

/** Cuts a long name, and keeps the whole name in the description. */
function shortened(fields: Fields): Fields {
  const field = "title" in fields ? "title" : "name";
  const [name, description] = [oneLine(fields[field]), fields.description];
  if (typeof name !== "string") return fields;
  const isLong = name.length > longestName;
  const whole = [isLong ? name : "", typeof description === "string" ? description : ""].filter(Boolean);
  return {
    ...fields,
    [field]: isLong ? `${cut(name, longestName - 1)}…` : name,
    ...("description" in fields && { description: cut(whole.join("\n"), longestDescription) || null }),
  };
}

const oneLine = (text: unknown): unknown =>
  typeof text === "string" ? text.replace(/\s+/g, " ").trim() : text;
const cut = (text: string, most: number): string => text.slice(0, most).toWellFormed();

/**
 * Drops a rule that Kept does not support and a time without a date, so that their todo survives.
 * @returns their problems
 */
function repair(fields: Fields, parse: Rules): string[] {
  const problem = repairRule(fields, parse);
  const isWithoutDate = fields.due_date === null && fields.due_time !== null;
  if (isWithoutDate) fields.due_time = null;
  const problems = [problem, isWithoutDate && "Comes without its due time, because it has no due date."];
  return problems.filter((one) => typeof one === "string");
}

function repairRule(fields: Fields, parse: Rules): string | undefined {
  if (typeof fields.recurrence !== "string") return undefined;
  const parsed = parse(fields.recurrence);
  if ("error" in parsed) {
    Object.assign(fields, { recurrence: null, recurrence_anchor: null });
    return `Does not repeat: ${parsed.error}`;
  }
  fields.recurrence = parsed.rule;
  fields.due_date ??= parsed.first;
  fields.recurrence_anchor ??= fields.due_date;
  return undefined;
}

export const isLeft = (found: Finding): found is Left => found.kind === "left";
