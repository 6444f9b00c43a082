import { Type } from "typebox";
import { Compile } from "typebox/compile";
import { idempotencyKeyLimit } from "../../../../shared/contracts/kernel/fields.ts";
import { entityTag } from "../../../../shared/domain/preconditions.ts";
import { isRefused, type Refused } from "../../../../shared/errors.ts";
import { type Html, html } from "../../../../shared/html.ts";
import type { Fields } from "../../../http/input.ts";
import type { ActionKey } from "../../../queries/action/runs.ts";
import { readCategoryRefs } from "../../../queries/category/read.ts";
import { seeOther } from "../../../web/redirect.ts";
import { notFoundPage } from "../../../web/router.ts";
import { capitalized } from "../kit/words.ts";
import type { PageAnswer, Visit } from "../session/context.ts";
import { hereWithoutNotes, pathId } from "../session/go-on.ts";
import { submitLogged } from "../session/submit.ts";
import { notedPage, noteOf } from "../tick/tick.ts";
import {
  type Complaint,
  complaintOf,
  type Draft,
  type FormContext,
  invalidDraft,
  newCategoryName,
  newThingPage,
  openForm,
  readThing,
  type Settled,
  settled,
  type ThingForm,
  thingPage,
} from "./thing-form.ts";

/** POST …/new: makes a thing once, even if the form is sent several times. */
export const createThing =
  (form: ThingForm) =>
  async (visit: Visit, sent: URLSearchParams): Promise<PageAnswer> => {
    const opened = await openForm(visit);
    if (isRefused(opened)) return opened;
    const leadsTo = (key: ActionKey) => pageAfter(visit, sent.get("from") ?? form.home, "made", key);
    return createFrom(form, opened, { ...settled(form, sent, opened), sent, leadsTo });
  };

/** The page that says what was done, and offers to undo it. */
const pageAfter = (visit: Visit, from: string, verb: string, key: ActionKey): string =>
  notedPage(visit, new URLSearchParams({ from }), noteOf({ verb, key }), "");

type NewThing = Settled &
  Readonly<{
    /** The sent form: its key, and the page that it came from. */
    sent: URLSearchParams;
    /** The page after it, from the log key of the change. */
    leadsTo(key: ActionKey): string;
  }>;

/** Makes a thing from a draft, or shows the draft again with the reasons why not. */
export async function createFrom(
  form: ThingForm,
  opened: FormContext,
  { draft, errors, sent, leadsTo }: NewThing,
): Promise<PageAnswer> {
  const again = (complaint: Complaint) =>
    newThingPage(form, opened, { draft, from: sent.get("from"), ...complaint });
  const complaint = invalidDraft(errors);
  if (complaint) return again(complaint);
  const key = sent.get("key") || crypto.randomUUID();
  const context = await withNewCategory(draft, opened, key);
  if (isRefused(context)) return again(complaintOf(form, context.refusal));
  const { fields } = form.toFields(draft, context);
  const how = { idempotencyKey: keyOf(key, JSON.stringify(fields)) };
  const { outcome, key: logged } = await submitLogged(opened.visit, `${form.noun}.create`, fields, how);
  if (isRefused(outcome)) return again(complaintOf(form, outcome.refusal));
  return seeOther(leadsTo(logged));
}

/** The remaining characters are for the hash of the content. */
const maxKey = idempotencyKeyLimit - 20;

/** The key includes the content: an edited form is a new request. */
const keyOf = (formKey: string, content: string): string =>
  `${formKey.slice(0, maxKey)}-${Bun.hash(content).toString(36)}`;

/** Makes the category that a draft names, if it does not exist. */
async function withNewCategory(
  draft: Draft,
  context: FormContext,
  formKey: string,
): Promise<FormContext | Refused> {
  const name = newCategoryName(draft.category ?? "", context);
  if (name === undefined) return context;
  const how = { idempotencyKey: keyOf(formKey, name) };
  const { outcome } = await submitLogged(context.visit, "category.create", { name }, how);
  if (isRefused(outcome)) return outcome;
  const categories = await context.query.inTurn(readCategoryRefs);
  return isRefused(categories) ? categories : { ...context, categories };
}

/** POST …/:id/delete: asks no confirmation, because the next page offers to undo it. */
export const deleteThing =
  (form: ThingForm) =>
  async (visit: Visit, params: URLSearchParams): Promise<PageAnswer> => {
    const id = pathId(visit.url);
    const from = params.get("from") ?? form.home;
    // The thing's own page is gone with it.
    const next = from.startsWith(form.shownAt(id)) ? form.home : from;
    const { outcome, key } = await submitLogged(visit, `${form.noun}.delete`, { [`${form.noun}_id`]: id });
    if (isRefused(outcome)) return outcome.refusal.code === "not_found" ? seeOther(form.home) : outcome;
    return seeOther(pageAfter(visit, next, "deleted", key));
  };

/** GET …/:id: a thing in its form. */
export const editThing =
  (form: ThingForm) =>
  async (visit: Visit): Promise<PageAnswer> => {
    const context = await openForm(visit);
    if (isRefused(context)) return context;
    const id = pathId(visit.url);
    const stored = await readThing(form, context, id);
    if (isRefused(stored)) return isGone(stored) ? notFoundPage(visit.context.site) : stored;
    return thingPage(form, context, { id, stored, draft: stored.draft, from: cameFrom(visit) });
  };

/** The page that led to a form, to return to after a change. */
function cameFrom({ request, url, site }: Visit): string | null {
  const from = URL.parse(request.headers.get("referer") ?? "");
  return from?.origin === site.origin && from.pathname !== url.pathname
    ? hereWithoutNotes({ url: from })
    : null;
}

/** A sent form: the person's values, the values when the form was made, and the fields that words said. */
type Sent = Readonly<{ id: number; draft: Draft; base: Draft; said: readonly string[]; from: string | null }>;

/** POST …/:id: sends only the person's changes, and reports fields that somebody else changed meanwhile. */
export const saveThing =
  (form: ThingForm) =>
  async (visit: Visit, params: URLSearchParams): Promise<PageAnswer> => {
    const opened = await openForm(visit);
    if (isRefused(opened)) return opened;
    const id = pathId(visit.url);
    const base = baseOf(params);
    const { draft, errors, said = [] } = settled(form, params, opened);
    const from = params.get("from");
    const sent = { id, base, draft, said, from };
    if (changedNames(form, sent).length === 0)
      return seeOther(
        notedPage(visit, new URLSearchParams({ from: from ?? form.shownAt(id) }), "told_unchanged", ""),
      );
    const complaint = invalidDraft(errors);
    if (complaint) return again(form, opened, sent, complaint);
    const tag = params.get("tag") ?? "";
    const context = await withNewCategory(sent.draft, opened, `${id}-${tag}`);
    if (isRefused(context)) return again(form, opened, sent, complaintOf(form, context.refusal));
    return save(form, context, sent, tag);
  };

/** Attempts, because another change, such as a tick, may come in between. */
const mostTries = 3;

async function save(form: ThingForm, context: FormContext, sent: Sent, tag: string): Promise<PageAnswer> {
  const changed = changedNames(form, sent);
  const all: Fields = form.toFields(sent.draft, context).fields;
  const wanted = changed.flatMap((name) => form.commandFields[name] ?? [name]);
  const fields = {
    ...Object.fromEntries(wanted.flatMap((name) => (name in all ? [[name, all[name]]] : []))),
    [`${form.noun}_id`]: sent.id,
  };
  for (let [tries, ifMatch] = [1, tag]; ; tries++) {
    const { outcome, key } = await submitLogged(context.visit, `${form.noun}.update`, fields, {
      preconditions: { ifMatch },
    });
    if (!isRefused(outcome))
      return seeOther(pageAfter(context.visit, sent.from ?? form.shownAt(sent.id), "saved", key));
    const { refusal } = outcome;
    if (refusal.code !== "precondition_failed") return again(form, context, sent, complaintOf(form, refusal));
    const stored = await readThing(form, context, sent.id);
    if (isRefused(stored)) return again(form, context, sent, complaintOf(form, stored.refusal));
    const clashes = clashesIn(sent, changed, stored.draft);
    const conflict = clashNotice(form, context, clashes);
    if (clashes.length > 0 || tries === mostTries)
      return again(form, context, sent, { status: 412, conflict });
    ifMatch = entityTag(stored.json);
  }
}

const changedNames = ({ blank }: ThingForm, { draft, base, said }: Sent): string[] =>
  Object.keys(blank).filter((name) => draft[name] !== base[name] || said.includes(name));

/** The sent form again, with others' changes to the fields that the person left alone. */
async function again(form: ThingForm, context: FormContext, sent: Sent, complaint: Complaint) {
  const stored = await readThing(form, context, sent.id);
  if (isRefused(stored))
    return isGone(stored)
      ? newThingPage(form, context, { draft: sent.draft, from: null, ...complaint, message: goneMeanwhile })
      : stored;
  const own = changedNames(form, sent).map((name) => [name, sent.draft[name] ?? ""]);
  const draft = { ...stored.draft, ...Object.fromEntries(own) };
  return thingPage(form, context, { ...complaint, id: sent.id, from: sent.from, stored, draft });
}

const isGone = ({ refusal }: Refused): boolean => refusal.code === "not_found";

const goneMeanwhile =
  "It was deleted meanwhile, so nothing is saved. Your input is below: save it to make it again.";

const texts = Compile(Type.Record(Type.String(), Type.String()));

/** The draft that the form was made of. If it is missing or invalid, all fields count as changed. */
function baseOf(params: URLSearchParams): Draft {
  try {
    const base: unknown = JSON.parse(params.get("base") ?? "");
    return texts.Check(base) ? base : {};
  } catch {
    return {};
  }
}

/** A field that the person and somebody else have changed to different values. */
type Clash = Readonly<{ name: string; now: string }>;

const clashesIn = ({ base, draft }: Sent, changed: readonly string[], now: Draft): readonly Clash[] =>
  changed.flatMap((name) => {
    const [theirs = "", own = ""] = [now[name], draft[name]];
    return theirs === base[name] || theirs === own ? [] : [{ name, now: theirs }];
  });

/** Tells which changes of others would be lost if the form were sent again. */
function clashNotice(form: ThingForm, context: FormContext, clashes: readonly Clash[]): Html {
  const categoryName = (id: string) => context.categories.find((one) => String(one.id) === id)?.name;
  const say = ({ name, now }: Clash) => (name === "category" ? (categoryName(now) ?? now) : now);
  return html`<div class="note warn" role="alert"><p>This ${form.noun} changed while you were editing, so nothing is saved
    yet. What you wrote is below. Saving replaces:</p>
    <ul>${clashes.map(
      (one) => html`<li>${labelOf(one.name)}: ${one.now === "" ? "nothing" : html`<q>${say(one)}</q>`}</li>`,
    )}</ul></div>`;
}

const labelOf = (name: string): string => capitalized(name.replaceAll("_", " "));
