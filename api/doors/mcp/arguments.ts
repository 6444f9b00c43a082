import { type TObject, type TSchema, Type } from "typebox";
import { commands } from "../../../shared/contracts/catalogue.ts";
import { hideCategories } from "../../../shared/contracts/category/fields.ts";
import {
  type ActionInput,
  type ActionOperation,
  type ActionOutput,
  maxAtOnce,
} from "../../../shared/contracts/group/contracts.ts";
import { Flag, Id, IdempotencyKey, numberOfDigits } from "../../../shared/contracts/kernel/fields.ts";
import { type Form, givenIn, type Tool, type ToolResult } from "../../../shared/contracts/kernel/tool.ts";
import { withPresentExamples } from "../../../shared/domain/day/day.ts";
import { type FieldProblems, invalid, isRefused, type Refused } from "../../../shared/errors.ts";
import { mapGivingWay } from "../../../shared/process/give-way.ts";
import { isObject } from "../../http/input/body.ts";
import { type KnownNames, unknownNames } from "../../http/input/unknown-names.ts";
import { type Fields, validate } from "../../http/input/validate.ts";
import { type Content, operationOf } from "../../perform.ts";
import { answered } from "./result.ts";
import type { CallTarget, Success } from "./target.ts";

/** Turns arguments into the content of a request by the contract of their tool. */
type ReadArguments = (args: Fields) => Content | Refused;

type ReaderOptions = Readonly<{
  form: Pick<Form, "refine" | "toInput">;
  /** The form's own arguments, and those of every write. */
  input: TObject;
  known: KnownNames;
  elsewhere?: FieldProblems | undefined;
  /** The rules of the command; their refusals join those of single arguments. */
  refine: CallTarget["contract"]["refine"];
}>;

export function createReader({ form, input, known, elsewhere = {}, refine }: ReaderOptions): ReadArguments {
  const numbered = numberingOf(input);
  return (args) => {
    const isKnown = Object.keys(args).every((name) => known.names.includes(name));
    const unknown = isKnown ? undefined : refusedNames(args, known, elsewhere);
    const checked = validate({ input }, numbered(givenIn(args)), { unknown, alsoTold: refine });
    if (isRefused(checked)) return checked;
    const { idempotency_key: key, preview, ...own } = checked.input;
    const errors = form.refine?.(own);
    if (errors) return invalid(errors);
    return { fields: { ...form.toInput(own) }, ...mannerOf(key, preview) };
  };
}

function refusedNames(args: Fields, known: KnownNames, elsewhere: FieldProblems): FieldProblems {
  const found = Object.entries(elsewhere).filter(([name]) => Object.hasOwn(args, name));
  return { ...unknownNames(Object.keys(args), known), ...Object.fromEntries(found) };
}

const manner = { idempotency_key: Type.Optional(IdempotencyKey), preview: Type.Optional(Flag) };

/** Every write takes a key and can be previewed: added here, so that no tool can forget it. */
export const withManner = ({ properties }: TObject): TObject => Type.Object({ ...properties, ...manner });

const mannerOf = (key: unknown, preview: unknown) => ({
  idempotencyKey: typeof key === "string" ? key : undefined,
  preview: preview === true,
});

/** Ids become numbers first, so that "7" and 7 are the same request. */
function numberingOf({ properties }: TObject): (args: Fields) => Fields {
  const ids = Object.keys(properties).filter((name) => isOfIds(properties[name]));
  return (args) => {
    const numbered = { ...args };
    for (const name of ids) if (Object.hasOwn(args, name)) numbered[name] = numbersIn(args[name]);
    return numbered;
  };
}

const numbersIn = (value: unknown): unknown =>
  Array.isArray(value) ? value.map(numberOfDigits) : numberOfDigits(value);

/** An optional schema is a copy, so an id's schema is recognised by its title. */
const isOfIds = ({ title, items }: IdSchema = {}): boolean => title === Id.title || items?.title === Id.title;

type IdSchema = TSchema & { title?: string; items?: { title?: string } };

/** The target of calls for one thing. */
export type OneTarget = Omit<CallTarget, "read"> & Readonly<{ read: ReadArguments }>;

/** The target of a form's calls for several things: a group of the commands that it has for one. */
export function severalTarget(tool: Tool, form: Form, one: OneTarget): CallTarget {
  const lists = listsOf(tool, form.arguments);
  const schemas = Object.entries(lists).map(([list, each]) => [list, listSchema(tool, each)] as const);
  const schema = withManner(Type.Partial(Type.Object(Object.fromEntries(schemas))));
  const reading = { lists, schema, one, ownNames: form.arguments.required ?? [] };
  return {
    ...{ contract: commands["batch.run-as-one"], scopes: one.scopes, fieldScopes: one.contract.fieldScopes },
    read: (args) => readThings(reading, givenIn(args)),
    answer: (success) => answered(severalResult(form, success), success),
  };
}

/** The lists of a form, each with the argument of one thing whose values it has; null for objects. */
export const listsOf = (
  { many = {} }: Tool,
  { properties }: TObject,
): Readonly<Record<string, string | null>> =>
  Object.fromEntries(Object.entries(many).filter(([, each]) => each === null || each in properties));

function listSchema(tool: Tool, each: string | null): TSchema {
  const one: (TSchema & { expects?: string }) | undefined = tool.arguments.properties[each ?? ""];
  return Type.Array(one ?? Type.Unknown(), {
    minItems: 1,
    maxItems: maxAtOnce,
    uniqueItems: one !== undefined,
    expects: `a list of 1 to ${maxAtOnce}${one ? ` that differ, each ${one.expects ?? "valid"}` : ""}`,
  });
}

/** The lists of a tool as agents see them. */
export const shownLists = (tool: Tool): Record<string, TSchema> =>
  Object.fromEntries(
    Object.entries(listsOf(tool, tool.arguments)).map(([list, each]) => [
      list,
      each === null ? Type.Array(Type.Unsafe<object>({ type: "object" })) : listSchema(tool, each),
    ]),
  );

type Reading = Readonly<{
  lists: Readonly<Record<string, string | null>>;
  /** The lists, and the arguments of every write. */
  schema: TObject;
  one: OneTarget;
  /** Arguments that each object must have. */
  ownNames: readonly string[];
}>;

const picked = (fields: Fields, isWanted: (name: string) => boolean): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => isWanted(name)));

/**
 * Reads a call thing by thing. An object that is wrong is refused alone. Other things get the same change, so an error
 * in it refuses the whole call.
 */
async function readThings(reading: Reading, args: Fields): Promise<Content | Refused> {
  const { lists, schema } = reading;
  const isOfCall = (name: string) => Object.hasOwn(schema.properties, name);
  const shared = picked(args, (name) => !isOfCall(name));
  const unknown = givenTwice(reading, args, shared);
  const checked = validate({ input: schema }, numberingOf(schema)(picked(args, isOfCall)), { unknown });
  if (isRefused(checked)) return checked;
  const { idempotency_key: key, preview, ...found } = checked.input;
  const [first = ""] = Object.keys(found);
  const things = thingsIn(reading, found as Readonly<Record<string, readonly unknown[]>>);
  if (things.length > maxAtOnce) {
    const problem = `One call does at most ${maxAtOnce} things; these are ${things.length}.`;
    return invalid({ [first]: [problem] });
  }
  const operations = await mapGivingWay(things, (thing) => readThing(reading, shared, thing));
  const wrong = lists[first] === null ? undefined : operations.find((one) => isRefused(one));
  return wrong ?? { fields: { operations }, ...mannerOf(key, preview) };
}

/** Refuses arguments beside a list that each of its things has already. */
function givenTwice({ lists, ownNames }: Reading, args: Fields, shared: Fields) {
  const given = Object.keys(lists).filter((list) => Object.hasOwn(args, list));
  const next = given.some((list) => lists[list] === null) ? "each of them has its own." : "send one of them.";
  const both = given.flatMap((list) => lists[list] ?? ownNames).filter((name) => Object.hasOwn(shared, name));
  const reason = (name: string) => `${name} cannot be given beside ${given.join(" and ")}`;
  return Object.fromEntries(both.map((name) => [name, [{ reason: reason(name), next }]]));
}

/** Combines each value of one list with each value of the others. Objects are things already. */
function thingsIn(
  { lists }: Reading,
  found: Readonly<Record<string, readonly unknown[]>>,
): readonly unknown[] {
  let things: readonly unknown[] = [{}];
  for (const [list, values] of Object.entries(found)) {
    const each = lists[list];
    const withValue = (thing: unknown) =>
      values.map((value) => (each ? { ...Object(thing), [each]: value } : value));
    things = things.flatMap(withValue);
  }
  return things;
}

/** A thing takes from the call the arguments that it lacks. */
function readThing(
  { schema, one: { contract, read } }: Reading,
  shared: Fields,
  thing: unknown,
): ActionOperation {
  if (!isObject(thing)) return invalid({ "": ["Each must be an object of this tool's arguments."] });
  const own = givenIn(thing);
  const ofCall = Object.keys(own).filter((name) => Object.hasOwn(schema.properties, name));
  const next = "give it once, beside the list.";
  const problems = ofCall.map((name) => [name, [{ reason: `${name} is not for one thing`, next }]] as const);
  if (problems.length > 0) return invalid(Object.fromEntries(problems));
  const content = read({ ...shared, ...own });
  return isRefused(content) ? content : operationOf(contract, content.fields);
}

/** The result of each thing, in the order of the call. */
function severalResult(form: Form, { body, input, actor, today }: Success): ToolResult {
  const { ends } = body as ActionOutput;
  const { operations } = input as ActionInput;
  // The list of categories can be long, so only the first refusal has it.
  const listing = ends.findIndex((end) => isRefused(end) && end.refusal.listsCategories);
  const results = ends.map((end, index): ToolResult => {
    const operation = operations[index];
    const own: Fields = operation && !isRefused(operation) ? operation.input : {};
    if (!isRefused(end)) return form.result(end.body, own);
    const shown = hideCategories(end, index === listing ? actor.scopes : []);
    const { code, message, errors } = withPresentExamples(shown.refusal, today.date);
    const which = picked(own, (name) => ["todo_id", "habit_id", "date"].includes(name));
    return {
      lines: [`${wordsFor(which) ?? `Number ${index + 1}`} was refused: ${message}`],
      facts: { ...which, code, message, ...(errors && { errors }) },
    };
  });
  const done = ends.filter((end) => !isRefused(end)).length;
  return {
    lines: [`${done} of ${ends.length} done.`, ...results.flatMap(({ lines }) => lines)],
    facts: { done, results: results.map(({ facts }) => facts) },
    reachesNobody: results.some(({ reachesNobody }) => reachesNobody),
    canReturn: results.some(({ canReturn }) => canReturn),
  };
}

/** @returns undefined for a new thing */
function wordsFor({ todo_id, habit_id = todo_id, date }: Fields): string | undefined {
  if (habit_id === undefined) return undefined;
  return date === undefined ? `#${habit_id}` : `#${habit_id} on ${date}`;
}
