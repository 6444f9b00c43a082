import { type TObject, type TSchema, Type } from "typebox";
import { Id, IdempotencyKey, numberOfDigits } from "../../../shared/contracts/kernel/fields.ts";
import type { Tool } from "../../../shared/contracts/kernel/tool.ts";
import { givenIn } from "../../../shared/contracts/kernel/tool-sentence.ts";
import { type FieldProblems, invalid, isRefused, type Refused } from "../../../shared/errors.ts";
import { type KnownNames, unknownNames } from "../../http/input/unknown-names.ts";
import { type Fields, validate } from "../../http/input/validate.ts";
import type { Content } from "../../perform.ts";

/** Turns arguments into the content of a request by the contract of their tool. */
export type ReadArguments = (args: Fields) => Content | Refused;

/** @param input the tool's own arguments, and the idempotency key where a call may have one */
export function createReader(tool: Tool, input: TObject): ReadArguments {
  const { elsewhere = {}, several } = tool;
  const known: KnownNames = {
    what: "an argument of this tool",
    names: [...Object.keys(input.properties), ...(several ? [several.argument] : [])],
    alwaysListed: true,
  };
  return (args) => {
    const isKnown = Object.keys(args).every((name) => known.names.includes(name));
    const unknown = isKnown ? undefined : refusedNames(args, known, elsewhere);
    const checked = validate({ input }, withNumericIds(input, givenIn(args)), { unknown });
    if (isRefused(checked)) return checked;
    const { idempotency_key: key, ...own } = checked.input;
    const errors = tool.refine?.(own);
    if (errors) return invalid(errors);
    return { fields: { ...tool.toInput(own) }, idempotencyKey: typeof key === "string" ? key : undefined };
  };
}

function refusedNames(args: Fields, known: KnownNames, elsewhere: FieldProblems): FieldProblems {
  const found = Object.entries(elsewhere).filter(([name]) => Object.hasOwn(args, name));
  return { ...unknownNames(Object.keys(args), known), ...Object.fromEntries(found) };
}

/** Every write takes a key: added here, so that no tool can forget it. */
export function withIdempotencyKey({ properties }: TObject): TObject {
  return Type.Object({ ...properties, idempotency_key: Type.Optional(IdempotencyKey) });
}

/** Ids become numbers before anything looks at them, so that "7" and 7 are the same request. */
export const withNumericIds = ({ properties }: TObject, args: Fields): Fields =>
  Object.fromEntries(
    Object.entries(args).map(([name, value]) => [name, withNumericId(properties[name], value)]),
  );

/** An optional schema is a copy, so that of an id is known by its title. */
function withNumericId({ title, items }: IdSchema = {}, value: unknown): unknown {
  if (title === Id.title) return numberOfDigits(value);
  return items?.title === Id.title && Array.isArray(value) ? value.map(numberOfDigits) : value;
}

type IdSchema = TSchema & { title?: string; items?: { title?: string } };
