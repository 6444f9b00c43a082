import type { CommandName } from "../../../../shared/contracts/catalogue.ts";
import type { CategoryRefRow } from "../../../../shared/db/present.ts";
import { isRefused, type Refused, refuse } from "../../../../shared/errors.ts";
import type { Html } from "../../../../shared/html.ts";
import type { Fields } from "../../../http/input/validate.ts";
import { readCategoryRefs } from "../../../queries/category/read.ts";
import { type QueryContext, readDaySettings } from "../../../queries/engine/context.ts";
import type { Clock } from "../../../queries/quick-add/forms/phrase.ts";
import type { Visit } from "../session/context.ts";

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
export type StoredThing = Readonly<{
  draft: Draft;
  json: string;
  name: string;
  /** Content above the form. */
  lead?(context: FormContext): Promise<Html>;
}>;

/** The differences between the pages of todos, habits and categories. */
export type ThingForm = Readonly<{
  noun: "todo" | "habit" | "category";
  idField: string;
  commands: Readonly<{ create: CommandName; update: CommandName; remove: CommandName }>;
  /** The address that takes new ones, and the address of one's form. */
  newPath: string;
  path(id: number): string;
  /** The address that shows one after it is saved. */
  shownAt(id: number): string;
  /** The next page after making or deleting one, unless the person came from elsewhere. */
  home: string;
  /** An empty form with all its fields. */
  blank: Draft;
  /** The title of the page for a new one. */
  title: string;
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
  const given = draftOf(form, sent);
  const { errors, ...one } = form.settle?.(given, context) ?? { draft: given, errors: {} };
  return { ...one, errors: { ...form.toFields(one.draft, context).errors, ...errors } };
}

/** Normalises line ends as they are stored; several boxes of one name become one text. */
function draftOf({ blank }: ThingForm, sent: URLSearchParams): Draft {
  const value = (name: string) => sent.getAll(name).join(",").replace(/\r\n?/g, "\n");
  return Object.fromEntries(Object.keys(blank).map((name) => [name, value(name)]));
}
