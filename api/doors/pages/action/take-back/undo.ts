import type { LoggedAction } from "../../../../../shared/contracts/action/contracts.ts";
import { isRefused } from "../../../../../shared/errors.ts";
import { type Html, html } from "../../../../../shared/html.ts";
import { formToken } from "../../../../web/form/form.ts";
import { safeNext, seeOther } from "../../../../web/redirect.ts";
import type { Visit } from "../../session/context.ts";
import { doneAddress, hereWithoutNotes, undoneParameter } from "../../session/go-on.ts";
import { refusalPage } from "../../session/refusal-page.ts";
import { submitUndo } from "../../session/submit-undo.ts";
import { actionsPath, undoPath } from "../paths.ts";

/** The form that takes an action back, with its button. */
export const undoForm = (visit: Visit, { called_at, request_id }: LoggedAction, button: Html): Html =>
  html`<form method="post" action="${undoPath}" class="controls">${formToken(visit)}
    <input type="hidden" name="called_at" value="${called_at}">
    <input type="hidden" name="request_id" value="${request_id}">
    <input type="hidden" name="from" value="${hereWithoutNotes(visit)}">
    ${button}</form>`;

/** POST /account/actions/undo: takes one action back as far as possible, and goes on where the person was. */
export async function undoAction(visit: Visit, form: URLSearchParams): Promise<Response> {
  const key = { called_at: form.get("called_at") ?? "", request_id: form.get("request_id") ?? "" };
  const outcome = await submitUndo(visit, [key]);
  if (isRefused(outcome)) return refusalPage(visit.context, outcome.refusal);
  const from = safeNext({ ...visit.site, afterSignIn: actionsPath }, form.get("from"));
  const isList = new URL(from, visit.site.origin).pathname === actionsPath;
  const address = doneAddress(visit, from, key, isList ? "note" : undoneParameter);
  return seeOther(isList ? `${address}#action-${key.request_id}` : address);
}
