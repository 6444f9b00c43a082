import { type TObject, type TSchema, Type } from "typebox";
import { Flag, Id, IdempotencyKey, numberOfDigits } from "../../../shared/contracts/kernel/fields.ts";
import type { Form } from "../../../shared/contracts/kernel/tool.ts";
import { givenIn } from "../../../shared/contracts/kernel/tool.ts";
import { type FieldProblems, invalid, isRefused, type Refused } from "../../../shared/errors.ts";
import { type KnownNames, unknownNames } from "../../http/input/unknown-names.ts";
import { type Fields, validate } from "../../http/input/validate.ts";
import type { Content } from "../../perform.ts";
import type { CallTarget } from "./target.ts";

/** Turns arguments into the content of a request by the contract of their tool. */
export type ReadArguments = (args: Fields) => Content | Refused;

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

export const mannerOf = (key: unknown, preview: unknown) => ({
  idempotencyKey: typeof key === "string" ? key : undefined,
  preview: preview === true,
});

/** Ids become numbers first, so that "7" and 7 are the same request. */
export function numberingOf({ properties }: TObject): (args: Fields) => Fields {
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
