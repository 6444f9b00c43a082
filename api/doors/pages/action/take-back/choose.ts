import type { LoggedAction } from "../../../../../shared/contracts/action/contracts.ts";
import { isRefused } from "../../../../../shared/errors.ts";
import { type Html, html } from "../../../../../shared/html.ts";
import type { ActionKey } from "../../../../queries/action/undone.ts";
import { formToken } from "../../../../web/form/form.ts";
import { safeNext, seeOther } from "../../../../web/redirect.ts";
import type { Visit } from "../../session/context.ts";
import { hereWithoutNotes } from "../../session/go-on.ts";
import { refusalPage } from "../../session/refusal-page.ts";
import { submitUndo } from "../../session/submit-undo.ts";
import { actionsPath, choosePath } from "../paths.ts";

const formId = "choose";

/** The form that takes back the chosen actions of the list. With `all` in the address, all begin chosen. */
export function chooseForm(visit: Visit): Html {
  const here = new URL(hereWithoutNotes(visit), visit.site.origin);
  const hasAll = here.searchParams.has("all");
  if (hasAll) here.searchParams.delete("all");
  else here.searchParams.set("all", "1");
  return html`<form method="post" action="${choosePath}" id="${formId}" class="actions">${formToken(visit)}
    <input type="hidden" name="from" value="${hereWithoutNotes(visit)}">
    <button class="plain">Take back the chosen ones</button>
    <a href="${here.pathname}${here.search}">${hasAll ? "Choose none" : "Choose all on this page"}</a></form>`;
}

/** The box that chooses an action. */
export const chooseBox = (visit: Visit, { called_at, request_id }: LoggedAction, name: Html): Html =>
  html`<label class="choose"><input type="checkbox" form="${formId}" name="action" value="${called_at}_${request_id}"${visit.url.searchParams.has("all") && html` checked`}>
    <span class="unseen">Choose${name}</span></label>`;

/** POST /account/actions/choose: undoes the chosen actions of a list, at most a page, and returns to it. */
export async function undoChosen(visit: Visit, form: URLSearchParams): Promise<Response> {
  const from = new URL(
    safeNext({ ...visit.site, afterSignIn: actionsPath }, form.get("from")),
    visit.site.origin,
  );
  const keys = form.getAll("action").map(keyIn);
  if (keys.length > 0) {
    const outcome = await submitUndo(visit, keys);
    if (isRefused(outcome)) return refusalPage(visit.context, outcome.refusal);
    const whole = outcome.ends.filter(({ undone }) => undone === "whole").length;
    from.searchParams.set("note", `${whole} of ${keys.length}`);
    from.searchParams.delete("all");
  }
  return seeOther(`${from.pathname}${from.search}`);
}

function keyIn(value: string): ActionKey {
  const [called_at = "", request_id = ""] = value.split("_");
  return { called_at, request_id };
}

/** @returns the sentence for a note such as `12 of 15`; undefined for another */
export function chosenInWords(note: string): string | undefined {
  const [, whole, all] = /^(\d{1,3}) of (\d{1,3})$/.exec(note) ?? [];
  if (whole === undefined) return undefined;
  return whole === all
    ? `${whole} taken back.`
    : `${whole} of ${all} taken back. The others were changed since, or are taken back already.`;
}
