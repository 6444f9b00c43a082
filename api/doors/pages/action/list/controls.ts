import type { LoggedAction } from "../../../../../shared/contracts/action/contracts.ts";
import { undoDays } from "../../../../../shared/contracts/action/undo.ts";
import { msPerDay } from "../../../../../shared/domain/day/day.ts";
import { type Html, html } from "../../../../../shared/html.ts";
import { changedThings, isDeletion } from "../../../../queries/action/things.ts";
import type { Undos } from "../../../../queries/action/undone.ts";
import { sayWallTime } from "../../kit/dates.ts";
import type { Visit } from "../../session/context.ts";
import { forgetPath } from "../paths.ts";
import { chooseBox } from "../take-back/choose.ts";
import { conflictsOf } from "../take-back/conflicts.ts";
import { type UndoNote, undoForm } from "../take-back/undo.ts";
import { type Day, localTimeOf, quote } from "../words.ts";

type Listed = Day & Readonly<{ undos: Undos; undone: UndoNote | undefined; now: number }>;

/** The buttons of an action in a list, or the note that it was undone. */
export const controlsOf =
  (visit: Visit, { undos, undone, now, ...day }: Listed) =>
  (action: LoggedAction): Html | undefined => {
    const note = action.request_id === undone?.request_id ? undone.note : undefined;
    if (action.undone_by === null) return html`${note}${buttons(visit, action, now)}`;
    return note ?? undoneInWords(visit, action, undos, day);
  };

function undoneInWords(visit: Visit, action: LoggedAction, undos: Undos, { timeZone, today }: Day): Html {
  const undo = undos.get(action.undone_by ?? "");
  if (!undo) return html`<p class="controls quiet small">Taken back</p>`;
  const url = new URL(visit.url);
  url.searchParams.set("note", `${action.called_at}_${action.request_id}`);
  const address = `${url.pathname}${url.search}#action-${action.request_id}`;
  return html`<p class="controls quiet small">Taken back on
    <time datetime="${undo.called_at}">${sayWallTime(localTimeOf(undo, timeZone), today)}</time>${conflictsOf(undo).length > 0 && html`, <a href="${address}">but not all of it</a>`}</p>`;
}

function buttons(visit: Visit, action: LoggedAction, now: number): Html | undefined {
  const { called_at, request_id, before, after, resource_name } = action;
  const isChange = before !== null || after !== null;
  if (!isChange || Date.parse(called_at) < now - undoDays * msPerDay) return undefined;
  const isGone = isDeletion(changedThings(action));
  const which = html`<span class="unseen">: ${resource_name === null ? called_at : quote(resource_name)}</span>`;
  const key = new URLSearchParams({ called_at, request_id });
  const form = undoForm(
    visit,
    action,
    html`<button class="link">${isGone ? "Bring it back" : "Take back"}${which}</button>
    ${isGone && html`<a href="${forgetPath}?${key.toString()}">Forget for good${which}</a>`}`,
  );
  return visit.url.searchParams.has("since") ? html`${chooseBox(visit, action, which)}${form}` : form;
}
