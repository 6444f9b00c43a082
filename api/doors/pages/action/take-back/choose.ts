import { type LoggedAction, listActions } from "../../../../../shared/contracts/action/contracts.ts";
import { isRefused } from "../../../../../shared/errors.ts";
import { type Html, html } from "../../../../../shared/html.ts";
import { validate } from "../../../../http/input/validate.ts";
import type { ActionKey } from "../../../../queries/action/undone.ts";
import { formToken } from "../../../../web/form/form.ts";
import { safeNext, seeOther } from "../../../../web/redirect.ts";
import type { PageAnswer, Visit } from "../../session/context.ts";
import { hereWithoutNotes } from "../../session/go-on.ts";
import { submitUndo } from "../../session/submit-undo.ts";
import { actionsPath, choosePath } from "../paths.ts";

const formId = "choose";

/** The form that takes back the chosen actions of the list. With `all` in the address, all begin chosen. */
export function chooseForm(visit: Visit): Html {
  const here = new URL(hereWithoutNotes(visit), visit.site.origin);
  const hasAll = here.searchParams.has("all");
  if (hasAll) here.searchParams.delete("all");
  else here.searchParams.set("all", "1");
  return html`<form method="post" action="${choosePath}" id="${formId}" class="actions">${formToken(visit, { from: hereWithoutNotes(visit) })}
    <button class="plain">Take back the chosen ones</button>
    <a href="${here.pathname}${here.search}">${hasAll ? "Choose none" : "Choose all on this page"}</a></form>`;
}

export const chooseBox = (visit: Visit, { called_at, request_id }: LoggedAction, name: Html): Html =>
  html`<label class="choose"><input type="checkbox" form="${formId}" name="action" value="${called_at}_${request_id}"${visit.url.searchParams.has("all") && html` checked`}>
    <span class="unseen">Choose${name}</span></label>`;

/** POST /account/actions/choose: undoes the chosen actions of a list, as many as one command takes, and returns to it. */
export async function undoChosen(visit: Visit, form: URLSearchParams): Promise<PageAnswer> {
  const from = new URL(
    safeNext({ ...visit.site, afterSignIn: actionsPath }, form.get("from")),
    visit.site.origin,
  );
  const keys = form.getAll("action").flatMap((value) => keyIn(value) ?? []);
  if (keys.length > 0) {
    const outcome = await submitUndo(visit, keys);
    if (isRefused(outcome)) return outcome;
    const whole = outcome.ends.filter(({ undone }) => undone === "whole").length;
    from.searchParams.set("note", [whole, outcome.ends.length, keys.length].join(" of "));
    from.searchParams.delete("all");
  }
  return seeOther(`${from.pathname}${from.search}`);
}

/** @returns the sentence for a note such as `12 of 15 of 20` (whole, tried, chosen); undefined for another */
export function chosenInWords(note: string): string | undefined {
  if (!/^\d{1,3} of \d{1,3} of \d{1,3}$/.test(note)) return undefined;
  const [whole = 0, tried = 0, chosen = 0] = note.split(" of ").map(Number);
  const left = chosen - tried;
  return [
    `${whole} ${whole === tried ? "" : `of ${tried} `}taken back.`,
    ...(whole < tried ? ["The others were changed since, or are taken back already."] : []),
    ...(left > 0 ? [`${left} are too large to be taken back by the same press: choose them again.`] : []),
  ].join(" ");
}

/** @returns the log key in a parameter such as `2026-11-20T09:15:00.000Z_<request id>`; undefined for another text */
export function keyIn(cursor: string): ActionKey | undefined {
  const [called_at, request_id] = cursor.split("_");
  const isWrong = isRefused(validate(listActions, { cursor }));
  return isWrong || !called_at || !request_id ? undefined : { called_at, request_id };
}
