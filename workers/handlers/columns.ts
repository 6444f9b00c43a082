import type { ColumnsOf, DeclaredFields, Field } from "../../shared/contracts/kernel/declared-fields.ts";

/** Declared fields as requests and files have them: null means the usual value. */
type Given<Declared extends DeclaredFields> = {
  readonly [Name in keyof Declared]?: ColumnsOf<Declared>[Name] | null | undefined;
};

/** The columns of a new thing. An absent field has its usual value. */
export const newColumns = <Declared extends DeclaredFields>(fields: Declared, given: Given<Declared>) =>
  Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [name, stored(field, given[name])]),
  ) as ColumnsOf<Declared>;

/** The columns of the given fields; the others keep their values. */
export const givenColumns = <Declared extends DeclaredFields>(fields: Declared, given: Given<Declared>) =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, field]) =>
      given[name] === undefined ? [] : [[name, stored(field, given[name])]],
    ),
  ) as Partial<ColumnsOf<Declared>>;

const stored = ({ kind, usual }: Field, value: unknown): unknown =>
  kind === "color" && typeof value === "string" ? sixDigits(value) : (value ?? usual ?? null);

/** `#abc` means `#aabbcc`. */
function sixDigits(color: string): string {
  const isShort = /^#...$/.test(color);
  return (isShort ? color.replaceAll(/[^#]/g, "$&$&") : color).toLowerCase();
}

type Named<Fields> = { [Key in keyof Fields]: Exclude<Fields[Key], undefined> };

/** Picks the fields that a request names; the others keep their values. */
export function patch<Fields extends object>(fields: Fields): Named<Fields> {
  const named = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(named) as Named<Fields>;
}
