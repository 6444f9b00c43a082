import { undoActions } from "../../../../../shared/contracts/action/contracts.ts";
import { isRefused } from "../../../../../shared/errors.ts";
import { type Html, html } from "../../../../../shared/html.ts";
import { validate } from "../../../../http/input/validate.ts";
import { readActionInTurn } from "../../../../queries/action/runs.ts";
import { type ChangedThing, changedThings, isDeletion, titleIn } from "../../../../queries/action/things.ts";
import { formToken } from "../../../../web/form/form.ts";
import { seeOther } from "../../../../web/redirect.ts";
import { notFoundPage } from "../../../../web/router.ts";
import type { PageAnswer, Visit } from "../../session/context.ts";
import { accountPage } from "../../session/frame.ts";
import { submit } from "../../session/submit.ts";
import { actionsPath, forgetPath } from "../paths.ts";
import { quote } from "../words.ts";

/** GET /account/actions/forget?called_at=…&request_id=…: asks before what an action deleted is forgotten for good. */
export async function askForget(visit: Visit): Promise<PageAnswer> {
  const { context, url } = visit;
  const { called_at, request_id } = Object.fromEntries(url.searchParams);
  const validated = validate(undoActions, { actions: [{ called_at, request_id }] });
  const [key] = isRefused(validated) ? [] : validated.input.actions;
  const action = key && (await readActionInTurn(visit.query, key));
  const things = action?.undone_by === null ? changedThings(action) : [];
  if (!isDeletion(things)) return notFoundPage(context.site);
  const body = html`<p>Then it cannot be brought back, and nobody can read here any more what it was: the log says only
    that something was deleted, when and by whom. Backups of this server have it until newer ones take their place.</p>
    ${things.map((thing) => thingForm(visit, thing))}
    <p><a href="${actionsPath}">Do not forget</a></p>`;
  return accountPage(visit, { title: "Forget for good?", body });
}

function thingForm(visit: Visit, { thing, kind, before }: ChangedThing): Html {
  const name = quote(titleIn(before));
  return html`<form method="post" action="${forgetPath}" class="card spread">${formToken(visit, { kind, id: thing.split("/")[1] })}
    <p>The ${kind} ${name}</p>
    <button class="danger">Forget it for good<span class="unseen">: ${name}</span></button></form>`;
}

/** POST /account/actions/forget */
export async function forgetThing(visit: Visit, form: URLSearchParams): Promise<PageAnswer> {
  const fields = { kind: form.get("kind"), id: Number(form.get("id")) };
  const outcome = await submit(visit, "action.forget", fields);
  if (isRefused(outcome)) return outcome;
  return seeOther(`${actionsPath}?note=forgotten`);
}
