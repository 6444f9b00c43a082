import type {
  DeclaredFields,
  Field,
  FieldKind,
} from "../../../../shared/contracts/kernel/declared-fields.ts";
import { type Html, html } from "../../../../shared/html.ts";
import { areaField, choice, selectField } from "../../../web/form/choice-fields.ts";
import { field as textField } from "../../../web/form/form-fields.ts";
import type { Draft, DraftErrors } from "./thing-form.ts";

/** Maps each field that has a label. A form writes the inputs of the others itself. */
const perInput = <Declared extends DeclaredFields, Result>(
  fields: Declared,
  make: (name: string, field: Field, label: string) => Result,
) =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, field]) =>
      field.label === undefined ? [] : [[name, make(name, field, field.label)]],
    ),
  ) as Partial<Record<keyof Declared, Result>>;

/** The known fields of a thing as a filled-in form. */
export const draftOf = <Declared extends DeclaredFields>(
  fields: Declared,
  thing: Readonly<Record<string, unknown>> = {},
) =>
  perInput(fields, (name, { ticked, usual }) => {
    const value = thing[name] ?? usual ?? "";
    return ticked === undefined || String(value) === ticked ? String(value) : "";
  });

/** The fields of a command from a filled-in form. */
export const fieldsOfDraft = <Declared extends DeclaredFields>(fields: Declared, draft: Draft) =>
  perInput(fields, (name, { kind, ticked, usual }): unknown => {
    const text = draft[name] ?? "";
    if (kind === "flag") return text === ticked;
    if (ticked !== undefined) return text === ticked ? ticked : usual;
    if (usual === undefined || kind === "paragraph") return text;
    if (text.trim() === "") return null;
    return kind === "number" ? Number(text) : text.trim();
  });

export const inputsOf = <Declared extends DeclaredFields>(
  fields: Declared,
  draft: Draft,
  errors: DraftErrors,
) =>
  perInput(fields, (name, field, label) =>
    inputOf(field, { name, label, value: draft[name] ?? "", error: errors[name] }),
  );

type Described = Readonly<{ name: string; label: string; value: string; error: string | undefined }>;

function inputOf({ kind, value: schema, usual, ticked, hint, suggestions }: Field, input: Described): Html {
  if (ticked !== undefined) {
    const label = html`${input.label}${hint && html`<span class="quiet small hint">${hint}</span>`}`;
    return choice({ ...input, value: ticked, type: "checkbox", label, isChosen: input.value === ticked });
  }
  const { enum: words = [], maxLength = 254, maximum } = schema;
  if (kind === "paragraph") return areaField({ ...input, max: maxLength });
  if (kind === "choice") {
    const options = [...(usual === null ? [any] : []), ...words.map(optionOf)];
    return selectField({ ...input, options, ...(hint && { hint: html`${hint}` }) });
  }
  return textField({
    ...input,
    type: inputType(kind, usual),
    required: usual === undefined,
    max: maximum === undefined ? maxLength : String(maximum).length,
    ...(hint && { hint }),
    ...(suggestions && { suggestions }),
  });
}

/** An input of type color cannot be empty. */
function inputType(kind: FieldKind, usual: unknown) {
  if (kind === "color") return usual === null ? "text" : kind;
  return kind === "number" || kind === "date" || kind === "time" ? kind : "text";
}

const any = { value: "", label: "Any" };
const optionOf = (word: string) => ({
  value: word,
  label: `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`,
});
