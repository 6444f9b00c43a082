import { type TObject, type TSchema, Type } from "typebox";
import { hideCategories } from "../../../../shared/contracts/category/name.ts";
import {
  type ManyInput,
  type ManyItem,
  type ManyOutput,
  maxAtOnce,
} from "../../../../shared/contracts/kernel/many.ts";
import type { Form, Tool } from "../../../../shared/contracts/kernel/tool.ts";
import type { ToolResult } from "../../../../shared/contracts/kernel/tool-result.ts";
import { givenIn } from "../../../../shared/contracts/kernel/tool-sentence.ts";
import { withPresentExamples } from "../../../../shared/domain/day/example-dates.ts";
import { isRefused } from "../../../../shared/errors.ts";
import { type Fields, validate } from "../../../http/input/validate.ts";
import { type ReadArguments, withManner } from "../arguments.ts";
import { answered } from "../result.ts";
import type { CallTarget, Success } from "../target.ts";
import { type ReadableLists, readObjects, readShared } from "./read.ts";

type Contract = CallTarget["contract"];

/** The target of calls for one thing. */
export type OneTarget = Omit<CallTarget, "read"> & Readonly<{ read: ReadArguments }>;

type ManyOptions = Readonly<{
  tool: Tool;
  form: Form;
  /** The target of calls for several things; its command carries out the contract `many`. */
  one: OneTarget;
  many: Contract;
}>;

/** The target of a form's calls for several things; undefined for a form that takes one. */
export function manyTarget({ tool, form, one, many }: ManyOptions): CallTarget | undefined {
  const lists = listsOf(tool, form.arguments);
  if (Object.keys(lists).length === 0) return undefined;
  const schemas = Object.entries(lists).map(([list, each]) => [list, listSchema(tool, each)] as const);
  const reading: ReadableLists = {
    lists,
    schema: withManner(Type.Partial(Type.Object(Object.fromEntries(schemas)))),
    ownNames: form.arguments.required ?? [],
    readOne: (thing) => readOne(one, thing),
  };
  const read = "objects" in (tool.many ?? {}) ? readObjects : readShared;
  return {
    ...{ contract: many, scopes: many.scopes },
    read: (args) => read(reading, givenIn(args)),
    answer: (success) => answered(manyResult(form, success), success),
  };
}

/** The lists of a form, each with the argument of one thing whose values it has; undefined for objects. */
export function listsOf(
  { many }: Tool,
  { properties }: TObject,
): Readonly<Record<string, string | undefined>> {
  if (!many) return {};
  if ("objects" in many) return { [many.objects]: undefined };
  return Object.fromEntries(Object.entries(many.lists).filter(([, each]) => each in properties));
}

/** @param each the argument of one thing; undefined for a list of objects */
function listSchema(tool: Tool, each: string | undefined): TSchema {
  const one = each === undefined ? undefined : tool.arguments.properties[each];
  return Type.Array(one ?? Type.Unknown(), {
    minItems: 1,
    maxItems: maxAtOnce,
    uniqueItems: one !== undefined,
    expects: `a list of 1 to ${maxAtOnce}${one ? ` that differ, each ${expectedOf(one)}` : ""}`,
  });
}

const expectedOf = ({ expects = "valid" }: TSchema & { expects?: string }): string => expects;

/** The lists of a tool as agents see them. */
export const shownLists = (tool: Tool): Record<string, TSchema> =>
  Object.fromEntries(
    Object.entries(listsOf(tool, tool.arguments)).map(([list, each]) => [
      list,
      each === undefined ? Type.Array(Type.Unsafe<object>({ type: "object" })) : listSchema(tool, each),
    ]),
  );

function readOne({ contract, read }: OneTarget, thing: Fields): ManyItem {
  const own = read(thing);
  return isRefused(own) ? own : validate(contract, own.fields);
}

/** The result of each thing, in the order of the call. */
function manyResult(form: Form, { body, input, actor, today }: Success): ToolResult {
  const { ends } = body as ManyOutput;
  const { items, shared = {} } = input as ManyInput;
  const results = ends.map((end, index): ToolResult => {
    const item = items[index];
    const own = item === undefined || isRefused(item) ? {} : item.input;
    if (!isRefused(end)) return form.result(end.body, { ...shared, ...own });
    const refusal = withPresentExamples(hideCategories(end, actor.scopes).refusal, today.date);
    const { code, message, errors } = refusal;
    const which = refusedThing({ ...shared, ...own });
    return {
      lines: [`${which?.words ?? `Number ${index + 1}`} was refused: ${message}`],
      facts: { ...which?.facts, code, message, ...(errors && { errors }) },
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

/** The thing that was refused, and the day if there is one; undefined for a new thing. */
function refusedThing({ todo_id, habit_id, date }: Fields) {
  const id = todo_id ?? habit_id;
  if (id === undefined) return undefined;
  const words = date === undefined ? `#${id}` : `#${id} on ${date}`;
  const facts = {
    ...(todo_id === undefined ? { habit_id } : { todo_id }),
    ...(date !== undefined && { date }),
  };
  return { words, facts };
}
