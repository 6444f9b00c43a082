import type {
  DeclaredFields,
  Field,
  FieldKind,
} from "../../../../shared/contracts/kernel/declared-fields.ts";
import type { CategoryRefRow } from "../../../../shared/db/present.ts";
import { categoriesNamed } from "../../../../shared/domain/category/by-name.ts";
import { entityTag } from "../../../../shared/domain/preconditions.ts";
import { isRefused, type Refusal, type Refused, refuse } from "../../../../shared/errors.ts";
import { type Html, html } from "../../../../shared/html.ts";
import type { Fields } from "../../../http/input.ts";
import { statusOf } from "../../../http/response.ts";
import { readCategoryRefs } from "../../../queries/category/read.ts";
import { type QueryContext, readDaySettings } from "../../../queries/engine/context.ts";
import type { Clock } from "../../../queries/quick-add/forms/phrase.ts";
import { pageScript, rhythmScript } from "../../../web/assets.ts";
import { formToken } from "../../../web/form/form.ts";
import {
  areaField,
  choice,
  type Option,
  problem,
  selectField,
  field as textField,
} from "../../../web/form/form-fields.ts";
import { authorship } from "../action/words.ts";
import { capitalized } from "../kit/words.ts";
import type { Visit } from "../session/context.ts";
import { accountPage } from "../session/frame.ts";

/** The values of a form by field name. */
export type Draft = Readonly<Record<string, string>>;

/** The errors of a draft by field name. */
export type DraftErrors = Readonly<Record<string, string>>;

/** The data that every form of a visit needs. */
export type FormContext = Readonly<{
  visit: Visit;
  query: QueryContext;
  clock: Clock;
  categories: readonly CategoryRefRow[];
}>;

/** A stored thing, with the JSON behind its entity tag. */
type StoredThing = Readonly<{
  draft: Draft;
  json: string;
  name: string;
  /** Content above the form. */
  lead?(context: FormContext): Promise<Html>;
}>;

/** The differences between the pages of todos, habits and categories. */
export type ThingForm = Readonly<{
  noun: "todo" | "habit" | "category";
  /** The address that takes new ones, and the address of one's form. */
  newPath: string;
  path(id: number): string;
  /** The address that shows one after it is saved. */
  shownAt(id: number): string;
  /** The next page after making or deleting one, unless the person came from elsewhere. */
  home: string;
  /** An empty form with all its fields. */
  blank: Draft;
  /** The command's fields for each field of the form, where their names differ. */
  commandFields: Readonly<Record<string, readonly string[]>>;
  /** Removes fields that only the form has, such as words that stand for other fields. */
  settle?(draft: Draft, context: FormContext): Settled;
  /** The draft as fields of the commands. */
  toFields(draft: Draft, context: FormContext): Readonly<{ fields: Fields; errors: DraftErrors }>;
  read(query: QueryContext, id: number): Promise<StoredThing | Refused>;
  inputs(draft: Draft, errors: DraftErrors, context: FormContext): Html;
  /** Further inputs for an existing thing. */
  editInputs?(draft: Draft, errors: DraftErrors): Html;
}>;

export type Settled = Readonly<{
  draft: Draft;
  errors: DraftErrors;
  /** Fields that count as changed even with their old values, because words said them. */
  said?: readonly string[];
}>;

/** Forms that a person may open or send in a minute, because reading their words takes a front door's processor. */
export const formsPerMinute = 240;

const tooMany = refuse("rate_limited", "You opened or sent too many forms. Try again in a minute.", {
  retryAfterSeconds: 60,
});

/** Reads the data that every form needs, in the person's turn. */
export async function openForm(visit: Visit): Promise<FormContext | Refused> {
  const { context, session, query } = visit;
  const allowance = await context.formLimit(session.sub);
  if (allowance?.allowed === false) return tooMany;
  const found = await query.inTurn(async (own) => ({
    ...(await readDaySettings(own)),
    categories: await readCategoryRefs(own),
  }));
  if (isRefused(found)) return found;
  const { today, categories } = found;
  return { visit, query, clock: { now: query.now, timeZone: today.timeZone, today: today.date }, categories };
}

/** The present state of a form's thing, read in the person's turn. */
export const readThing = (form: ThingForm, { query }: FormContext, id: number) =>
  query.inTurn((own) => form.read(own, id));

/** The sent draft, and the errors in it that are known without a command. */
export function settled(form: ThingForm, sent: URLSearchParams, context: FormContext): Settled {
  const given = sentDraft(form, sent);
  const { errors, ...one } = form.settle?.(given, context) ?? { draft: given, errors: {} };
  return { ...one, errors: { ...form.toFields(one.draft, context).errors, ...errors } };
}

/** Normalises line ends as they are stored; several boxes of one name become one text. */
function sentDraft({ blank }: ThingForm, sent: URLSearchParams): Draft {
  const value = (name: string) => sent.getAll(name).join(",").replace(/\r\n?/g, "\n");
  return Object.fromEntries(Object.keys(blank).map((name) => [name, value(name)]));
}

/** The messages about a draft that was not saved. */
export type Complaint = Readonly<{
  errors?: DraftErrors;
  message?: string;
  /** The changes of somebody else that stand in the way. */
  conflict?: Html;
  status?: number;
}>;

type NewThing = Complaint &
  Readonly<{
    draft: Draft;
    lead?: Html | undefined;
    /** The page from which the person came to add something. */
    from: string | null;
  }>;

/** The form's own id, for a button outside it. */
export const newThingId = "new-thing";

/** The form for a new thing, filled in as far as its fields are known. */
export async function newThingPage(
  form: ThingForm,
  context: FormContext,
  { draft, lead, from, ...complaint }: NewThing,
) {
  const { visit } = context;
  const body = html`${problem(complaint.message)}${lead}
    <form method="post" action="${form.newPath}" id="${newThingId}" class="card">${formToken(visit, { from, key: crypto.randomUUID() })}
    ${form.inputs(draft, complaint.errors ?? {}, context)}
    <button>Save</button></form>`;
  const content = { title: `New ${form.noun}`, body, scripts: [pageScript, rhythmScript] };
  return accountPage(visit, content, { status: complaint.status ?? 200 });
}

type Edited = Complaint & Readonly<{ id: number; draft: Draft; stored: StoredThing; from: string | null }>;

/**
 * The form of an existing thing. It carries the thing's original values, so that only changes are sent and clashes are
 * found.
 */
export async function thingPage(form: ThingForm, context: FormContext, edited: Edited): Promise<Response> {
  const { visit } = context;
  const { id, draft, stored, conflict, from, errors = {}, message, status = 200 } = edited;
  const original = { tag: entityTag(stored.json), base: JSON.stringify(stored.draft) };
  const body = html`<div id="thing" class="thing ${form.noun}">${problem(message)}${conflict}${await stored.lead?.(context)}
    <form method="post" action="${form.path(id)}" class="card">${formToken(visit, { from, ...original })}
    ${form.inputs(draft, errors, context)}
    ${form.editInputs?.(draft, errors)}
    <button>Save</button></form>
    <form method="post" action="${form.path(id)}/delete">${formToken(visit, { from })}
    <button class="danger">Delete this ${form.noun}</button></form>
    ${await authorship(context.query, form.noun, id)}</div>`;
  const scripts = [pageScript, ...(form.noun === "habit" ? [rhythmScript] : [])];
  return accountPage(visit, { title: stored.name, body, scripts }, { status });
}

/** Sorts a refusal into messages for the form's fields and one above them for everything else. */
export function complaintOf(
  { blank, commandFields }: ThingForm,
  { code, message, errors = {} }: Refusal,
): Complaint {
  const names = Object.keys(blank);
  const found = names.flatMap((name) => {
    const [sentence] = (commandFields[name] ?? [name]).flatMap((field) => errors[field] ?? []);
    return sentence === undefined ? [] : [[name, sentence.replace(/^The \w+ field/, "This")] as const];
  });
  const ofFields = invalidDraft(Object.fromEntries(found));
  return { message, ...ofFields, status: statusOf(code) };
}

export const invalidDraft = (errors: DraftErrors): Complaint | undefined =>
  Object.keys(errors).length > 0
    ? { errors, message: "Nothing is saved yet: see the fields marked below.", status: 422 }
    : undefined;

/** Marks a category that is made when the form is saved. */
const newPrefix = "new:";

type Categories = Pick<FormContext, "categories">;

/** The form value for a category name, whether or not the category exists. */
export function categoryValue(name: string | null, { categories }: Categories): string {
  if (name === null) return "";
  const [known] = categoriesNamed(categories, name);
  return known ? String(known.id) : `${newPrefix}${name}`;
}

/** The name of the category to make; undefined if none is needed or it exists already. */
export function newCategoryName(value: string, { categories }: Categories): string | undefined {
  if (!value.startsWith(newPrefix)) return undefined;
  const name = value.slice(newPrefix.length);
  return categoriesNamed(categories, name).length > 0 ? undefined : name;
}

/** The id of the chosen category; null for none. A new name has no id until its category is made. */
export function chosenCategoryId(value: string, { categories }: Categories): number | null {
  if (!value.startsWith(newPrefix)) return value === "" ? null : Number(value);
  return categoriesNamed(categories, value.slice(newPrefix.length))[0]?.id ?? null;
}

export function categoryField(value: string, error: string | undefined, context: Categories): Html {
  const { categories } = context;
  const wanted = newCategoryName(value, context);
  const options: Option[] = [
    { value: "", label: "None" },
    ...(wanted === undefined ? [] : [{ value, label: `${wanted} (new)` }]),
    ...categories.map(({ id, name }) => ({ value: String(id), label: name })),
  ];
  const isUnknown = wanted !== undefined;
  const hint = isUnknown
    ? html`There is no category <strong>${wanted}</strong> yet. It is made when you save, unless you choose another.`
    : html`<a href="/account/categories">Your categories</a>`;
  return selectField({ name: "category", label: "Category", value, options, error, hint });
}

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
const optionOf = (word: string) => ({ value: word, label: capitalized(word) });
