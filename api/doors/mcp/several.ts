import { type TObject, type TSchema, Type } from "typebox";
import { hideCategories } from "../../../shared/contracts/category/name.ts";
import type { Tool } from "../../../shared/contracts/kernel/tool.ts";
import type { ToolResult } from "../../../shared/contracts/kernel/tool-result.ts";
import { givenIn } from "../../../shared/contracts/kernel/tool-sentence.ts";
import {
  maxSeveral,
  type SeveralInput,
  type SeveralItem,
  type SeveralOutput,
} from "../../../shared/contracts/todo/several.ts";
import { withPresentExamples } from "../../../shared/domain/day/example-dates.ts";
import { invalid, isRefused, type Refused } from "../../../shared/errors.ts";
import { mapGivingWay } from "../../http/give-way.ts";
import { isObject } from "../../http/input/body.ts";
import { unknownNames } from "../../http/input/unknown-names.ts";
import { type Fields, validate } from "../../http/input/validate.ts";
import type { Content } from "../../perform.ts";
import { createReader, type ReadArguments, withIdempotencyKey, withNumericIds } from "./arguments.ts";
import { answered } from "./result.ts";
import type { CallTarget, Success } from "./target.ts";

type SeveralCall = NonNullable<Tool["several"]>;

/** A call that names several things. */
type Form = Readonly<{
  argument: string;
  each: string | undefined;
  /** The arguments of these calls for any tool: the list and the idempotency key. */
  listAndKey: TObject;
  /** Reads one thing of the list. */
  readOne(thing: unknown): SeveralItem;
}>;

/**
 * The target of a tool's calls that name several things.
 * @param contract the command that does what they ask for
 * @param own the contract of the same tool's calls for one thing
 * @returns `list`: the schema of the list in the answer to tools/list
 */
export function severalTarget(
  tool: Tool,
  { argument, each }: SeveralCall,
  contract: CallTarget["contract"],
  own: CallTarget["contract"],
): Readonly<{ target: CallTarget; list: TSchema }> {
  const one = each === undefined ? undefined : tool.arguments.properties[each];
  const things = Type.Array(one ?? Type.Unknown(), {
    minItems: 1,
    maxItems: maxSeveral,
    uniqueItems: one !== undefined,
    expects: `a list of 1 to ${maxSeveral}${one ? " that differ" : ""}`,
  });
  const listAndKey = withIdempotencyKey(Type.Object({ [argument]: things }));
  const readOwn = createReader(tool, tool.arguments);
  const form: Form = { argument, each, listAndKey, readOne: (thing) => readOne(own, readOwn, thing) };
  return {
    target: {
      contract,
      read: (args) => readSeveral(form, givenIn(args)),
      answer: (success) => answered(severalResult(tool, success), success),
    },
    list: one ? things : Type.Array(Type.Unsafe<object>({ type: "object" })),
  };
}

/** A wrong object in a list is refused alone. */
async function readSeveral(form: Form, args: Fields): Promise<Content | Refused> {
  const { argument, each, listAndKey } = form;
  const { [argument]: _, idempotency_key: __, ...others } = args;
  const sent = Object.keys(others);
  const unknown = unknownNames(each === undefined ? sent : sent.filter((name) => name === each), {
    what: `an argument beside ${argument}`,
    names: Object.keys(listAndKey.properties),
    alwaysListed: each === undefined,
  });
  const checked = validate({ input: listAndKey }, withNumericIds(listAndKey, args), { unknown });
  if (isRefused(checked)) return checked;
  const { [argument]: list, idempotency_key: key } = checked.input;
  const things = Array.isArray(list) ? list : [];
  const fields =
    each === undefined
      ? { items: await mapGivingWay(things, form.readOne) }
      : readAlike(form, each, things, others);
  if (isRefused(fields)) return fields;
  return { fields, ...(typeof key === "string" && { idempotencyKey: key }) };
}

function readOne(contract: CallTarget["contract"], readOwn: ReadArguments, thing: unknown): SeveralItem {
  if (!isObject(thing)) return notAnObject;
  const own = readOwn(thing);
  return isRefused(own) ? own : validate(contract, own.fields);
}

const notAnObject = invalid({ "": ["Each must be an object of this tool's arguments."] });

/** An error in arguments that hold for all things refuses the whole call. */
function readAlike(form: Form, each: string, things: readonly unknown[], others: Fields) {
  const one = form.readOne({ ...others, [each]: things[0] });
  if (isRefused(one)) return one;
  const { [each]: _, ...alike } = one.input;
  return { items: things.map((thing) => ({ input: { [each]: thing } })), alike };
}

/** The result of each thing, in the order of the call. */
function severalResult(tool: Tool, { body, input, actor, today }: Success): ToolResult {
  const { ends } = body as SeveralOutput;
  const { items, alike } = input as SeveralInput;
  const results = ends.map((end, index): ToolResult => {
    const item = items[index] ?? notAnObject;
    const own = isRefused(item) ? {} : item.input;
    if (!isRefused(end)) return tool.result(end.body, { ...alike, ...own });
    const refusal = withPresentExamples(hideCategories(end, actor.scopes).refusal, today.date);
    const { code, message, errors } = refusal;
    const which = alike ? own : {};
    const name = alike ? `#${Object.values(which)}` : `Number ${index + 1}`;
    return {
      lines: [`${name} was refused: ${message}`],
      facts: { ...which, code, message, ...(errors && { errors }) },
    };
  });
  const done = ends.filter((end) => !isRefused(end)).length;
  return {
    lines: [`${done} of ${ends.length} done.`, ...results.flatMap(({ lines }) => lines)],
    facts: { done, results: results.map(({ facts }) => facts) },
    reachesNobody: results.some(({ reachesNobody }) => reachesNobody),
  };
}
