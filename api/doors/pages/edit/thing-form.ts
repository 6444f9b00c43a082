import type { CommandName } from "../../../../shared/contracts/catalogue.ts";
import type { CategoryRefRow } from "../../../../shared/db/present.ts";
import { isRefused, type Refused, refuse } from "../../../../shared/errors.ts";
import type { Html } from "../../../../shared/html.ts";
import type { Fields } from "../../../http/input/validate.ts";
import { readCategoryRefs } from "../../../queries/category/read.ts";
import { type QueryContext, readDaySettings } from "../../../queries/engine/context.ts";
import type { Clock } from "../../../queries/quick-add/clock.ts";
import type { Visit } from "../session/context.ts";

/** What a form holds, by the names of its fields. */
export type Draft = Readonly<Record<string, string>>;

/** What is wrong with a draft, by the names of its fields. */
export type DraftErrors = Readonly<Record<string, string>>;

/** What all forms of one visit need. */
export type FormContext = Readonly<{
  visit: Visit;
  query: QueryContext;
  clock: Clock;
  categories: readonly CategoryRefRow[];
}>;

/** A thing as it is, with the JSON that its entity tag is made of. */
export type StoredThing = Readonly<{
  draft: Draft;
  json: string;
  name: string;
  /** What its page shows above the form. */
  lead?(context: FormContext): Promise<Html>;
}>;

/** What the pages of todos, of habits and of categories differ in. */
export type ThingForm = Readonly<{
  noun: "todo" | "habit" | "category";
  idField: string;
  commands: Readonly<{ create: CommandName; update: CommandName; remove: CommandName }>;
  /** Where new ones are sent to, and where one of them is edited. */
  newPath: string;
  path(id: number): string;
  /** Where one of them is shown once it is saved. */
  shownAt(id: number): string;
  /** Where people go on after making or deleting one, unless they came from elsewhere. */
  home: string;
  /** An empty form, which names all its fields. */
  blank: Draft;
  /** What a new one of the name is called on its page. */
  title: string;
  /** The fields of the commands that a field of the form makes, where that is not the one of its name. */
  commandFields: Readonly<Record<string, readonly string[]>>;
  /** Takes what only the form has out of a draft, such as words that stand for other fields. */
  settle?(draft: Draft, context: FormContext): Settled;
  /** The fields of the commands. */
  toFields(draft: Draft, context: FormContext): Readonly<{ fields: Fields; errors: DraftErrors }>;
  read(query: QueryContext, id: number): Promise<StoredThing | Refused>;
  inputs(draft: Draft, errors: DraftErrors, context: FormContext): Html;
  /** Further ones for a thing that there is. */
  editInputs?(draft: Draft, errors: DraftErrors): Html;
}>;

export type Settled = Readonly<{ draft: Draft; errors: DraftErrors }>;

/** How many forms a person may open or send in a minute: reading the words in one keeps a front door for itself. */
export const formsPerMinute = 240;

const tooMany = refuse("rate_limited", "These are too many forms at once. Please try again in a minute.", {
  retryAfterSeconds: 60,
});

/** Reads what all forms need when it is the person's turn. */
export async function openForm(visit: Visit): Promise<FormContext | Refused> {
  const { context, session } = visit;
  const allowance = await context.formLimit(session.sub);
  if (allowance?.allowed === false) return tooMany;
  const query = context.query({ userId: session.sub });
  const found = await query.inTurn(
    async (own) => ({ ...(await readDaySettings(own)), categories: await readCategoryRefs(own) }),
    false,
  );
  if (isRefused(found)) return found;
  const { today, categories } = found;
  return { visit, query, clock: { now: query.now, timeZone: today.timeZone, today: today.date }, categories };
}

/** The thing of a form as it is now, read when it is the person's turn. */
export const readThing = (form: ThingForm, { query }: FormContext, id: number) =>
  query.inTurn((own) => form.read(own, id), false);

/** The draft that was sent, and what is wrong with it before anybody is asked. */
export function settled(form: ThingForm, sent: URLSearchParams, context: FormContext): Settled {
  const given = draftOf(form, sent);
  const { draft, errors } = form.settle?.(given, context) ?? { draft: given, errors: {} };
  return { draft, errors: { ...form.toFields(draft, context).errors, ...errors } };
}

/** Lines end as they are stored; several boxes of one name are one text. */
function draftOf({ blank }: ThingForm, sent: URLSearchParams): Draft {
  const value = (name: string) => sent.getAll(name).join(",").replace(/\r\n?/g, "\n");
  return Object.fromEntries(Object.keys(blank).map((name) => [name, value(name)]));
}
