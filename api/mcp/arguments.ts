import type { TObject, TSchema } from "typebox";
import { Id, numberOfDigits } from "../../shared/contracts/fields.ts";
import type { Tool } from "../../shared/contracts/tool.ts";
import { givenIn } from "../../shared/contracts/tool-sentence.ts";
import { unknownNames } from "../../shared/contracts/unknown-names.ts";
import { type Fields, validate } from "../../shared/contracts/validate.ts";
import { invalid, isRefused, type Refused } from "../../shared/errors.ts";
import type { Content } from "../perform.ts";
import type { ToolEntry } from "./tools.ts";

/** Checks a tool's arguments strictly and turns them into the content of a request by its contract. */
export function readArguments({ tool, ...entry }: ToolEntry, args: Fields): Content | Refused {
  return readChecked(tool, entry.arguments, args);
}

/** Reads what would be the arguments of a call of its own, but for the idempotency key. */
export const readOwnArguments = (tool: Tool, args: Fields): Content | Refused =>
  readChecked(tool, tool.arguments, args);

function readChecked(tool: Tool, input: TObject, args: Fields): Content | Refused {
  const { elsewhere = {}, several } = tool;
  const unknown = {
    ...unknownNames(Object.keys(args), {
      what: "an argument of this tool",
      names: [...Object.keys(input.properties), ...(several ? [several.argument] : [])],
      alwaysListed: true,
    }),
    ...Object.fromEntries(Object.entries(elsewhere).filter(([name]) => Object.hasOwn(args, name))),
  };
  const checked = validate({ input }, withNumericIds(input, givenIn(args)), { unknown });
  if (isRefused(checked)) return checked;
  const { idempotency_key: key, ...own } = checked.input;
  const errors = tool.refine?.(own);
  if (errors) return invalid(errors);
  const fields = { ...tool.toInput(own) };
  return typeof key === "string" ? { fields, idempotencyKey: key } : { fields };
}

/** Ids become numbers before anything looks at them, so that "7" and 7 are the same request. */
export function withNumericIds({ properties }: TObject, args: Fields): Fields {
  const fields = { ...args };
  for (const [name, property] of Object.entries(properties))
    if (Object.hasOwn(args, name)) fields[name] = withNumericId(property, args[name]);
  return fields;
}

/** An optional schema is a copy, so that of an id is known by its title. */
function withNumericId({ title, items }: IdSchema, value: unknown): unknown {
  if (title === Id.title) return numberOfDigits(value);
  return items?.title === Id.title && Array.isArray(value) ? value.map(numberOfDigits) : value;
}

type IdSchema = TSchema & { title?: string; items?: { title?: string } };
