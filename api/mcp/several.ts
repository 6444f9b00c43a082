import { Type } from "typebox";
import { type Contract, contracts } from "../../shared/contracts/catalogue.ts";
import { hideCategories } from "../../shared/contracts/category-name.ts";
import type { Scope } from "../../shared/contracts/scopes.ts";
import {
  maxSeveral,
  type SeveralInput,
  type SeveralItem,
  type SeveralOutput,
} from "../../shared/contracts/several.ts";
import type { Tool } from "../../shared/contracts/tool.ts";
import type { ToolResult } from "../../shared/contracts/tool-result.ts";
import { unknownNames } from "../../shared/contracts/unknown-names.ts";
import { type Fields, validate } from "../../shared/contracts/validate.ts";
import { invalid, isRefused, type Refused } from "../../shared/errors.ts";
import { isObject } from "../http/body.ts";
import type { Content } from "../perform.ts";
import { readOwnArguments, type ToolEntry } from "./tools.ts";

/** What a call that names several things has beside them. */
const keyName = "idempotency_key";

/** Whether a call names several things. */
export const namesSeveral = ({ tool }: ToolEntry, args: Fields): boolean =>
  tool.several !== undefined && Object.hasOwn(args, tool.several.argument);

const severalCommands = new Map(contracts.map((contract) => [contract.name as string, contract]));

/** @returns the command of several things, where a tool has one */
export const severalCommand = ({ several }: Pick<Tool, "several">): Contract | undefined =>
  several && severalCommands.get(several.command);

/** Reads a call that names several things. One that is wrong is refused alone, and the others are done. */
export function readSeveral(entry: ToolEntry, args: Fields): Content | Refused {
  const { argument = "" } = entry.tool.several ?? {};
  const names = [argument, keyName];
  const unknown = unknownNames(Object.keys(args), {
    what: `an argument beside ${argument}`,
    names,
    alwaysListed: true,
  });
  const input = Type.Object({
    [argument]: Type.Array(Type.Unknown(), {
      minItems: 1,
      maxItems: maxSeveral,
      expects: `a list of 1 to ${maxSeveral}`,
    }),
    [keyName]: entry.arguments.properties[keyName] ?? Type.Unknown(),
  });
  const checked = validate({ input: Type.Partial(input) }, args, { unknown });
  if (isRefused(checked)) return checked;
  const { [argument]: things, [keyName]: key } = checked.input as Fields;
  const items = Array.isArray(things) ? things.map((thing) => readOne(entry, thing)) : [];
  return { fields: { items }, ...(typeof key === "string" && { idempotencyKey: key }) };
}

function readOne(entry: ToolEntry, thing: unknown): SeveralItem {
  if (!isObject(thing)) return notAnObject;
  const own = readOwnArguments(entry.tool, thing);
  return isRefused(own) ? own : validate(entry.contract, own.fields);
}

const notAnObject = invalid({ "": ["Each must be an object of this tool's arguments."] });

/** What an agent reads of each thing, in the order of the call. */
export function severalResult(
  tool: Tool,
  { ends }: SeveralOutput,
  { items }: SeveralInput,
  scopes: readonly Scope[],
): ToolResult {
  const results = ends.map((end, index): ToolResult => {
    const item = items[index];
    if (!isRefused(end) && item && "input" in item) return tool.result(end.body, item.input);
    const refused = isRefused(end) ? hideCategories(end, scopes) : notAnObject;
    const { code, message, errors } = refused.refusal;
    return {
      lines: [`Number ${index + 1} was refused: ${message}`],
      facts: { code, message, ...(errors && { errors }) },
    };
  });
  const done = ends.filter((end) => !isRefused(end)).length;
  return {
    lines: [`${done} of ${ends.length} done.`, ...results.flatMap(({ lines }) => lines)],
    facts: { done, results: results.map(({ facts }) => facts) },
  };
}
