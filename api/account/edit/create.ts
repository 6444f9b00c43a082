import { idempotencyKeyLimit } from "../../../shared/contracts/fields.ts";
import type { Fields } from "../../../shared/contracts/validate.ts";
import { isRefused, type Refused } from "../../../shared/errors.ts";
import { seeOther } from "../../../shared/web/redirect.ts";
import { readCategoryRefs } from "../../queries/category.ts";
import type { Visit } from "../visit/context.ts";
import { doneAddress } from "../visit/go-on.ts";
import { pathId } from "../visit/path-id.ts";
import { refusalPage } from "../visit/refusal-page.ts";
import { submitLogged } from "../visit/submit.ts";
import { newCategoryName } from "./category-choice.ts";
import { complaintOf, invalidDraft } from "./complaints.ts";
import { type Complaint, newThingPage } from "./form-page.ts";
import { type Draft, type FormContext, openForm, settled, type ThingForm } from "./thing-form.ts";

/** POST …/new: makes a thing, once however often the form is sent. */
export const createThing =
  (form: ThingForm) =>
  async (visit: Visit, sent: URLSearchParams): Promise<Response> => {
    const opened = await openForm(visit);
    const { draft, errors } = settled(form, sent, opened);
    const from = sent.get("from");
    const again = (told: Complaint) => newThingPage(form, opened, { draft, from, ...told });
    const complaint = invalidDraft(errors);
    if (complaint) return again(complaint);
    const key = sent.get("key")?.slice(0, maxKey) || crypto.randomUUID();
    const context = await withNewCategory(draft, opened, key);
    if (isRefused(context)) return again(complaintOf(form, context.refusal));
    const { outcome, key: logged } = await create(form, visit, form.toFields(draft, context).fields, key);
    if (isRefused(outcome)) return again(complaintOf(form, outcome.refusal));
    return seeOther(doneAddress(visit, from ?? form.home, logged));
  };

/** Leaves room for the end of the key of a category that is made on the way. */
const maxKey = idempotencyKeyLimit - 20;

/** Who goes back, changes the form and sends it again wants another thing. */
async function create({ commands }: ThingForm, visit: Visit, fields: Fields, idempotencyKey: string) {
  const made = await submitLogged(visit, commands.create, fields, { idempotencyKey });
  const isOther = isRefused(made.outcome) && made.outcome.refusal.errors?.["Idempotency-Key"] !== undefined;
  return isOther ? submitLogged(visit, commands.create, fields) : made;
}

/** Makes the category that a draft names, if it names one that is not there. */
export async function withNewCategory(
  draft: Draft,
  context: FormContext,
  key?: string,
): Promise<FormContext | Refused> {
  const name = newCategoryName(draft.category ?? "", context);
  if (name === undefined) return context;
  const how = key === undefined ? {} : { idempotencyKey: `${key}-${Bun.hash(name).toString(36)}` };
  const { outcome } = await submitLogged(context.visit, "category.create", { name }, how);
  if (isRefused(outcome)) return outcome;
  return { ...context, categories: await readCategoryRefs(context.query) };
}

/** POST …/:id/delete: without a question, because the page that follows offers to take it back. */
export const deleteThing =
  (form: ThingForm) =>
  async (visit: Visit): Promise<Response> => {
    const id = pathId(visit.url);
    const { outcome, key } = await submitLogged(visit, form.commands.remove, { [form.idField]: id });
    if (isRefused(outcome))
      return outcome.refusal.code === "not_found"
        ? seeOther(form.home)
        : refusalPage(visit.context, outcome.refusal);
    return seeOther(doneAddress(visit, form.home, key));
  };
