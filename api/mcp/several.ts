import { hideCategories } from "../../shared/contracts/category-name.ts";
import type { Scope } from "../../shared/contracts/scopes.ts";
import type { SeveralInput, SeveralItem, SeveralOutput } from "../../shared/contracts/several.ts";
import type { Tool } from "../../shared/contracts/tool.ts";
import type { ToolResult } from "../../shared/contracts/tool-result.ts";
import { unknownNames } from "../../shared/contracts/unknown-names.ts";
import { type Fields, validate } from "../../shared/contracts/validate.ts";
import { withPresentExamples } from "../../shared/domain/example-dates.ts";
import type { Today } from "../../shared/domain/today.ts";
import { invalid, isRefused, type Refused } from "../../shared/errors.ts";
import { isObject } from "../http/body.ts";
import { mapGivingWay } from "../http/give-way.ts";
import type { Content } from "../perform.ts";
import { readOwnArguments, withNumericIds } from "./arguments.ts";
import type { SeveralForm, ToolEntry } from "./tools.ts";

/** @returns how a call names several things, for one that does */
export function severalIn(entry: ToolEntry, args: Fields): SeveralForm | undefined {
  const form = entry.kind === "command" ? entry.several : undefined;
  return form && Object.hasOwn(args, form.argument) ? form : undefined;
}

/** Reads a call that names several things. Of a list of objects, one that is wrong is refused alone. */
export async function readSeveral(
  entry: ToolEntry,
  form: SeveralForm,
  args: Fields,
): Promise<Content | Refused> {
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
    each === undefined ? await readObjects(entry, things) : readAlike(entry, each, things, others);
  if (isRefused(fields)) return fields;
  return { fields, ...(typeof key === "string" && { idempotencyKey: key }) };
}

async function readObjects(entry: ToolEntry, things: readonly unknown[]) {
  return { items: await mapGivingWay(things, (thing) => readOne(entry, thing)) };
}

function readOne(entry: ToolEntry, thing: unknown): SeveralItem {
  if (!isObject(thing)) return notAnObject;
  const own = readOwnArguments(entry.tool, thing);
  return isRefused(own) ? own : validate(entry.contract, own.fields);
}

const notAnObject = invalid({ "": ["Each must be an object of this tool's arguments."] });

/** What is wrong with arguments that hold for all things refuses the whole call. */
function readAlike(entry: ToolEntry, each: string, things: readonly unknown[], others: Fields) {
  const one = readOne(entry, { ...others, [each]: things[0] });
  if (isRefused(one)) return one;
  const { [each]: _, ...alike } = one.input;
  return { items: things.map((thing) => ({ input: { [each]: thing } })), alike };
}

type Told = Readonly<{ scopes: readonly Scope[]; today: Today }>;

/** What an agent reads of each thing, in the order of the call. */
export function severalResult(
  tool: Tool,
  { ends }: SeveralOutput,
  { items, alike }: SeveralInput,
  { scopes, today }: Told,
): ToolResult {
  const results = ends.map((end, index): ToolResult => {
    const item = items[index] ?? notAnObject;
    const input = isRefused(item) ? {} : item.input;
    if (!isRefused(end)) return tool.result(end.body, { ...alike, ...input });
    const told = withPresentExamples(hideCategories(end, scopes).refusal, today.date);
    const { code, message, errors } = told;
    const which = alike ? input : {};
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
