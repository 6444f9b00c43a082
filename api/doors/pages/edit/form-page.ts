import { entityTag } from "../../../../shared/domain/preconditions.ts";
import { type Html, html } from "../../../../shared/html.ts";
import { rhythmScript } from "../../../web/assets.ts";
import { formToken } from "../../../web/form/form.ts";
import { problem } from "../../../web/form/form-fields.ts";
import { page } from "../../../web/page.ts";
import { authorship } from "../action/authorship.ts";
import { accountFrame } from "../session/frame.ts";
import type { Draft, DraftErrors, FormContext, StoredThing, ThingForm } from "./thing-form.ts";

/** The messages about a draft that was not saved. */
export type Complaint = Readonly<{ errors?: DraftErrors; message?: string; status?: number }>;

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
    <form method="post" action="${form.newPath}" id="${newThingId}" class="card">${formToken(visit)}
    ${from !== null && html`<input type="hidden" name="from" value="${from}">`}
    <input type="hidden" name="key" value="${crypto.randomUUID()}">
    ${form.inputs(draft, complaint.errors ?? {}, context)}
    <button>Save</button></form>`;
  const { title } = form;
  return page(
    visit.context.site,
    { title, body, scripts: [rhythmScript], ...(await accountFrame(visit)) },
    { status: complaint.status ?? 200 },
  );
}

type Edited = Complaint &
  Readonly<{ id: number; draft: Draft; stored: StoredThing; conflict?: Html; from: string | null }>;

/**
 * The form of an existing thing. It carries the thing's original values, so that only changes are sent and clashes are
 * found.
 */
export async function thingPage(form: ThingForm, context: FormContext, edited: Edited): Promise<Response> {
  const { visit } = context;
  const { id, draft, stored, conflict, from, errors = {}, message, status = 200 } = edited;
  const back = from !== null && html`<input type="hidden" name="from" value="${from}">`;
  const body = html`${problem(message)}${conflict}${await stored.lead?.(context)}
    ${await authorship(context.query, form.noun, id)}
    <form method="post" action="${form.path(id)}" class="card">${formToken(visit)}${back}
    <input type="hidden" name="tag" value="${entityTag(stored.json)}">
    <input type="hidden" name="base" value="${JSON.stringify(stored.draft)}">
    ${form.inputs(draft, errors, context)}
    ${form.editInputs?.(draft, errors)}
    <button>Save</button></form>
    <form method="post" action="${form.path(id)}/delete">${formToken(visit)}${back}
    <button class="danger">Delete this ${form.noun}</button></form>`;
  return page(
    visit.context.site,
    { title: stored.name, body, scripts: [rhythmScript], ...(await accountFrame(visit)) },
    { status },
  );
}
