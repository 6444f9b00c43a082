import { idempotencyKeyLimit } from "../../../../shared/contracts/kernel/fields.ts";
import { isRefused, type Refused } from "../../../../shared/errors.ts";
import { readCategoryRefs } from "../../../queries/category/read.ts";
import { seeOther } from "../../../web/redirect.ts";
import { pathId } from "../kit/path-id.ts";
import type { PageAnswer, Visit } from "../session/context.ts";
import { doneAddress } from "../session/go-on.ts";
import { submitLogged } from "../session/submit.ts";
import { newCategoryName } from "./category-choice.ts";
import { complaintOf, invalidDraft } from "./complaints.ts";
import { type Complaint, newThingPage } from "./form-page.ts";
import {
  type Draft,
  type FormContext,
  openForm,
  type Settled,
  settled,
  type ThingForm,
} from "./thing-form.ts";

/** POST …/new: makes a thing once, even if the form is sent several times. */
export const createThing =
  (form: ThingForm) =>
  async (visit: Visit, sent: URLSearchParams): Promise<PageAnswer> => {
    const opened = await openForm(visit);
    if (isRefused(opened)) return opened;
    const leadsTo = (key: LogKey) => doneAddress(visit, sent.get("from") ?? form.home, key);
    return createFrom(form, opened, { ...settled(form, sent, opened), sent, leadsTo });
  };

type LogKey = Parameters<typeof doneAddress>[2];

type NewThing = Settled &
  Readonly<{
    /** The sent form: its key, and the page that it came from. */
    sent: URLSearchParams;
    /** The page after it, from the log key of the change. */
    leadsTo(key: LogKey): string;
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
  const { outcome, key: logged } = await submitLogged(opened.visit, form.commands.create, fields, how);
  if (isRefused(outcome)) return again(complaintOf(form, outcome.refusal));
  return seeOther(leadsTo(logged));
}

/** The remaining characters are for the hash of the content. */
const maxKey = idempotencyKeyLimit - 20;

/** The key includes the content: an edited form is a new request. */
const keyOf = (formKey: string, content: string): string =>
  `${formKey.slice(0, maxKey)}-${Bun.hash(content).toString(36)}`;

/** Makes the category that a draft names, if it does not exist. */
export async function withNewCategory(
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
    const { outcome, key } = await submitLogged(visit, form.commands.remove, { [form.idField]: id });
    if (isRefused(outcome)) return outcome.refusal.code === "not_found" ? seeOther(form.home) : outcome;
    return seeOther(doneAddress(visit, next, key));
  };
