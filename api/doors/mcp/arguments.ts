import { type TObject, type TProperties, type TSchema, Type } from "typebox";
import { commands } from "../../../shared/contracts/catalogue.ts";
import { hideCategories } from "../../../shared/contracts/category/fields.ts";
import {
  type ActionOperation,
  type ActionOutput,
  maxAtOnce,
} from "../../../shared/contracts/group/contracts.ts";
import { Flag, IdempotencyKey } from "../../../shared/contracts/kernel/fields.ts";
import { withPresentExamples } from "../../../shared/domain/day/day.ts";
import { invalid, isRefused, type Refused, refuse } from "../../../shared/errors.ts";
import { mapGivingWay } from "../../../shared/process/give-way.ts";
import { type Fields, isEmpty, isObject, parseJson, unknownNames, validate } from "../../http/input.ts";
import { type Content, operationOf } from "../../perform.ts";
import { answered } from "./result.ts";
import type { Success, Understood } from "./target.ts";
import { quoteStored, type Tool, type ToolAct, type ToolResult } from "./tool.ts";

type SchemaNode = TSchema & {
  type?: string;
  items?: SchemaNode;
  properties?: TProperties;
  anyOf?: readonly SchemaNode[];
};

/** The properties of an object, or of all objects that a schema offers. */
export const propertiesOf = ({ properties, anyOf = [] }: SchemaNode): TProperties =>
  Object.assign({}, properties, ...anyOf.map(propertiesOf));

/** Every write takes a key and can be previewed: added here, so that no tool can forget it. */
const ofWrites = { idempotency_key: Type.Optional(IdempotencyKey), preview: Type.Optional(Flag) };

/** The lists by which a tool names several things. @param item the schema of a thing that is an object */
function listsOf({ many = {}, arguments: { properties } }: Tool, item: TSchema): TProperties {
  const lists = Object.entries(many).map(([list, each]) => {
    const one: (TSchema & { expects?: string }) | undefined = properties[each ?? ""];
    const expects = `a list of 1 to ${maxAtOnce}${one ? ` that differ, each ${one.expects ?? "valid"}` : ""}`;
    const bounds = { minItems: 1, maxItems: maxAtOnce, uniqueItems: one !== undefined, expects };
    return [list, Type.Optional(Type.Array(one ?? item, bounds))] as const;
  });
  return Object.fromEntries(lists);
}

/** All arguments of a tool, as its list shows them. One that takes lists requires none in each call. */
export function shownArguments(tool: Tool): TObject {
  const { properties } = tool.arguments;
  const all = {
    ...properties,
    ...listsOf(tool, tool.arguments),
    ...(tool.looksAt === undefined && ofWrites),
  };
  return tool.many ? Type.Partial(Type.Object(all)) : Type.Object(all);
}

/** Names that n8n and Cline add to the arguments of any tool. */
const namesOfHosts = ["toolCallId", "tool", "sessionId", "action", "chatInput", "task_progress"];

/** @returns the given arguments, each as its declared type. An unknown one stays, also with null, to be refused. */
export function asDeclared({ properties }: Pick<TObject, "properties">, sent: Fields): Fields {
  const given: Fields = {};
  for (const [name, value] of Object.entries(sent)) {
    const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (schema ? !isEmpty(value) : !namesOfHosts.includes(name))
      given[name] = schema ? readValue(schema, value) : value;
  }
  return given;
}

/** Hosts may send what is not a text as its JSON, and a list of one as its item. */
function readValue(schema: SchemaNode, value: unknown): unknown {
  const { type = schema.anyOf ? "object" : "string", items } = schema;
  if (type === "string") return value;
  const read = typeof value === "string" ? parseJson(value) : value;
  if (type === "array" && items)
    return (Array.isArray(read) ? read : [value]).map((item) => readValue(items, item));
  if (type === "object")
    return isObject(read) ? asDeclared({ properties: propertiesOf(schema) }, read) : value;
  // Only exact text counts: "007" and "1.0" stay texts.
  return typeof read !== "object" && String(read) === value ? read : value;
}

/** Turns the given arguments of a call into the request that it makes. */
export type Understand = (given: Fields) => Promise<Understood | Refused> | Understood | Refused;

type Manner = Omit<Content, "fields">;
type Acts = Readonly<{ acts: readonly ToolAct[] }>;
type ReadOne = (given: Fields, names: readonly string[]) => (Acts & Readonly<{ manner: Manner }>) | Refused;

/** @param names all arguments of the tool */
export function understanding(tool: Tool, names: readonly string[]): Understand {
  const { refine, looksAt } = tool;
  const alsoTold = (args: Fields) => refine?.(args) ?? tool.alsoTold?.(args);
  const own = Type.Object({ ...tool.arguments.properties, ...(looksAt === undefined && ofWrites) });
  const contract = { input: own, ...(refine && { refine }) };
  const readOne: ReadOne = (given, known) => {
    const isKnown = Object.keys(given).every((name) => known.includes(name));
    const unknown = isKnown ? undefined : unknownNames(Object.keys(given), { ...what, names: known });
    const checked = validate(contract, given, { unknown, alsoTold });
    if (isRefused(checked)) return checked;
    const { idempotency_key, preview, ...args } = checked.input;
    const acts = tool.act(args);
    return isRefused(acts) ? acts : { acts: [acts].flat(), manner: mannerOf(idempotency_key, preview) };
  };
  const lists = listsOf(tool, Type.Unknown());
  const several = { tool, readOne, ofCall: Type.Object({ ...lists, ...ofWrites }) };
  const listNames = Object.keys(lists);
  return (given) => {
    if (listNames.some((list) => Object.hasOwn(given, list))) return readSeveral(several, given);
    const one = readOne(given, names);
    if (isRefused(one)) return one;
    const [act, ...others] = one.acts;
    if (!act || others.length > 0) return together([one], one.manner, true);
    const answer = (success: Success) => {
      const [words] = Object.values(success.former ?? {});
      return answered(withFormer(act.result(success.body), words), success);
    };
    return { ...one.manner, contract: act.contract, fields: act.fields, dayOf: act.dayOf, answer };
  };
}

const what = { what: "an argument of this tool", alwaysListed: true };
const mannerOf = (key: unknown, preview: unknown): Manner => ({
  ...(typeof key === "string" && { idempotencyKey: key }),
  preview: preview === true,
});

type Several = Readonly<{
  tool: Tool;
  readOne: ReadOne;
  /** The lists, and the arguments of every write. */
  ofCall: TObject;
}>;

const picked = (fields: Fields, isWanted: (name: string) => boolean): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => isWanted(name)));

/** Reads a call thing by thing. A thing takes from the call the arguments that it lacks. */
function readSeveral({ tool, readOne, ofCall }: Several, given: Fields) {
  const isOfCall = (name: string) => Object.hasOwn(ofCall.properties, name);
  const shared = picked(given, (name) => !isOfCall(name));
  const unknown = givenTwice(tool, given, shared);
  const checked = validate({ input: ofCall }, picked(given, isOfCall), { unknown });
  if (isRefused(checked)) return checked;
  const { idempotency_key, preview, ...found } = checked.input;
  const names = Object.keys(tool.arguments.properties);
  const things = thingsIn(tool, found).map((thing) =>
    isObject(thing) ? readOne({ ...shared, ...thing }, names) : notAnObject,
  );
  const areAlike = Object.keys(found).every((list) => tool.many?.[list] !== null);
  return together(things, mannerOf(idempotency_key, preview), areAlike);
}

const notAnObject = invalid({ "": ["Each must be an object of this tool's arguments."] });

/** Refuses arguments beside a list that each of its things has already. */
function givenTwice({ many = {}, arguments: ofOne }: Tool, given: Fields, shared: Fields) {
  const required: readonly string[] = ofOne.required ?? [];
  const lists = Object.keys(many).filter((list) => Object.hasOwn(given, list));
  const both = lists.flatMap((list) => many[list] ?? required).filter((name) => Object.hasOwn(shared, name));
  const next = "send one of them.";
  const problem = (name: string) => ({
    reason: `${name} cannot be given beside ${lists.join(" and ")}`,
    next,
  });
  return Object.fromEntries(both.map((name) => [name, [problem(name)]]));
}

/** Combines each value of one list with each value of the others. Objects are things already. */
function thingsIn({ many = {} }: Tool, found: Fields): readonly unknown[] {
  let things: readonly unknown[] = [{}];
  for (const [list, values] of Object.entries(found)) {
    const each = many[list];
    const withValue = (thing: unknown) =>
      [values].flat().map((value) => (each ? { ...Object(thing), [each]: value } : value));
    things = things.flatMap(withValue);
  }
  return things;
}

/**
 * Makes one group of all acts.
 * @param areAlike true if all things get the same change: an error in it refuses the call, else only its own thing
 */
async function together(
  things: readonly (Acts | Refused)[],
  ofCall: Manner,
  areAlike: boolean,
): Promise<Understood | Refused> {
  const acts = things.flatMap((thing): readonly (ToolAct | Refused)[] =>
    isRefused(thing) ? [thing] : thing.acts,
  );
  if (acts.length > maxAtOnce)
    return refuse("invalid", `One call does at most ${maxAtOnce} things; these are ${acts.length}.`);
  const operations = await mapGivingWay(acts, (act) =>
    isRefused(act) ? act : operationOf(act.contract, act.fields),
  );
  const wrong = areAlike ? operations.find((one) => isRefused(one)) : undefined;
  if (wrong) return wrong;
  return {
    ...ofCall,
    ...{ contract: commands["batch.run-as-one"], fields: { operations } },
    answer: (success: Success & SeveralDone) => answered(severalResult(acts, operations, success), success),
  };
}

type SeveralDone = Readonly<{ body: ActionOutput }>;

/** The result of each act, in their order. */
function severalResult(
  acts: readonly (ToolAct | Refused)[],
  operations: readonly ActionOperation[],
  { body: { ends }, actor, today, former = {} }: Success & SeveralDone,
): ToolResult {
  // The list of categories can be long, so only the first refusal has it.
  const listing = ends.findIndex((end) => isRefused(end) && end.refusal.listsCategories);
  const results = ends.map((end, index): ToolResult => {
    const [act, operation] = [acts[index], operations[index]];
    if (!isRefused(end) && act && !isRefused(act)) {
      const { todo_id, habit_id = todo_id, date } = act.fields;
      const ofThing = date === undefined ? former[String(habit_id)] : undefined;
      const words = ofThing ?? former[`${habit_id} ${date ?? today.date}`];
      return withFormer(act.result(end.body), words);
    }
    if (!isRefused(end)) throw new Error("Something was done that was not asked for.");
    const own: Fields = operation && !isRefused(operation) ? operation.input : {};
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

/** The result of a change that replaced words, with these: nobody but the person can bring them back. */
function withFormer(result: ToolResult, words: Readonly<Record<string, string>> | undefined): ToolResult {
  if (!words) return result;
  const lines = Object.entries(words).map(([field, text]) => `Replaced ${field}: ${quoteStored(text)}`);
  return { ...result, lines: [...result.lines, ...lines], facts: { ...result.facts, former: words } };
}

/** @returns undefined for a new thing */
function wordsFor({ todo_id, habit_id = todo_id, date }: Fields): string | undefined {
  if (habit_id === undefined) return undefined;
  return date === undefined ? `#${habit_id}` : `#${habit_id} on ${date}`;
}
