import { entityTag } from "../../../../shared/domain/preconditions.ts";
import { type Html, html } from "../../../../shared/html.ts";
import { rhythmScript } from "../../../web/assets.ts";
import { formToken } from "../../../web/form/form.ts";
import { problem } from "../../../web/form/form-fields.ts";
import { authorship } from "../action/authorship.ts";
import { accountPage } from "../session/frame.ts";
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
    <form method="post" action="${form.newPath}" id="${newThingId}" class="card">${formToken(visit, { from, key: crypto.randomUUID() })}
    ${form.inputs(draft, complaint.errors ?? {}, context)}
    <button>Save</button></form>`;
  const { title } = form;
  return accountPage(visit, { title, body, scripts: [rhythmScript] }, { status: complaint.status ?? 200 });
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
  const original = { tag: entityTag(stored.json), base: JSON.stringify(stored.draft) };
  const body = html`${problem(message)}${conflict}${await stored.lead?.(context)}
    ${await authorship(context.query, form.noun, id)}
    <form method="post" action="${form.path(id)}" class="card">${formToken(visit, { from, ...original })}
    ${form.inputs(draft, errors, context)}
    ${form.editInputs?.(draft, errors)}
    <button>Save</button></form>
    <form method="post" action="${form.path(id)}/delete">${formToken(visit, { from })}
    <button class="danger">Delete this ${form.noun}</button></form>`;
  return accountPage(visit, { title: stored.name, body, scripts: [rhythmScript] }, { status });
}
