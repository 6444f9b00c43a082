import { type TObject, type TSchema, Type } from "typebox";
import { type ManyItem, maxAtOnce } from "../../../../shared/contracts/kernel/many.ts";
import type { Form, Tool } from "../../../../shared/contracts/kernel/tool.ts";
import { givenIn } from "../../../../shared/contracts/kernel/tool-sentence.ts";
import { isRefused } from "../../../../shared/errors.ts";
import { type Fields, validate } from "../../../http/input/validate.ts";
import { type ReadArguments, withManner } from "../arguments.ts";
import { answered } from "../result.ts";
import type { CallTarget } from "../target.ts";
import { type ReadableLists, readObjects, readShared } from "./read.ts";
import { manyResult } from "./result.ts";

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
