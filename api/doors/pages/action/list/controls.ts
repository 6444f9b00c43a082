import { undoDays } from "../../../../../shared/contracts/action/undo.ts";
import { localTime, msPerDay } from "../../../../../shared/domain/day/day.ts";
import { type Html, html } from "../../../../../shared/html.ts";
import type { Undo } from "../../../../queries/action/undone.ts";
import { formToken } from "../../../../web/form/form.ts";
import { sayWallTime } from "../../kit/dates.ts";
import type { Visit } from "../../session/context.ts";
import { forgetPath, undoPath } from "../paths.ts";
import { stayedAt } from "../take-back/conflicts.ts";
import type { Day, UndoNote } from "../take-back/undo-note.ts";
import type { LoggedRow } from "../words/logged-row.ts";
import { quote } from "../words/quote.ts";
import { deletedThings } from "./deleted-things.ts";
import type { Undos } from "./list-page.ts";

type Controls = Readonly<{
  /** What can be done about an action, or what became of it. */
  controls(action: LoggedRow): Html | undefined;
  /** What became of an action that the list does not show. */
  note: Html | undefined;
}>;

type Listed = Day &
  Readonly<{ rows: readonly LoggedRow[]; undos: Undos; noted: UndoNote | undefined; now: number }>;

/** The buttons of the rows of a list. */
export function controlsOf(visit: Visit, { rows, undos, noted, now, ...day }: Listed): Controls {
  const isNoted = ({ request_id }: LoggedRow) => request_id === noted?.request_id;
  return {
    note: rows.some(isNoted) ? undefined : noted?.note,
    controls(action) {
      const note = isNoted(action) ? noted?.note : undefined;
      if (action.undone_by === null) return html`${note}${buttons(visit, action, now)}`;
      return note ?? sayUndone(visit, action, { undo: undos.get(action.undone_by), ...day });
    },
  };
}

type Undone = Day & Readonly<{ undo: Undo | undefined }>;

function sayUndone(visit: Visit, action: LoggedRow, { undo, timeZone, today }: Undone): Html {
  if (!undo) return html`<p class="controls quiet small">Taken back</p>`;
  const at = sayWallTime(localTime(Date.parse(undo.called_at), timeZone), today);
  const url = here(visit);
  url.searchParams.set("note", `${action.called_at}_${action.request_id}`);
  const address = `${url.pathname}${url.search}#action-${action.request_id}`;
  const rest = stayedAt(undo).length > 0 && html`, <a href="${address}">but not all of it</a>`;
  return html`<p class="controls quiet small">Taken back on <time datetime="${undo.called_at}">${at}</time>${rest}</p>`;
}

function buttons(visit: Visit, action: LoggedRow, now: number): Html | undefined {
  const { called_at, request_id, before, after, resource_name } = action;
  const isChange = before !== null || after !== null;
  if (!isChange || Date.parse(called_at) < now - undoDays * msPerDay) return undefined;
  const isDeletion = deletedThings(action).length > 0;
  const which = html`<span class="unseen">: ${resource_name === null ? called_at : quote(resource_name)}</span>`;
  const key = new URLSearchParams({ called_at, request_id }).toString();
  const { pathname, search } = here(visit);
  return html`<form method="post" action="${undoPath}" class="controls">${formToken(visit)}
    <input type="hidden" name="called_at" value="${called_at}">
    <input type="hidden" name="request_id" value="${request_id}">
    <input type="hidden" name="from" value="${pathname}${search}">
    <button class="link">${isDeletion ? "Bring it back" : "Take back"}${which}</button>
    ${isDeletion && html`<a href="${forgetPath}?${key}">Forget for good${which}</a>`}</form>`;
}

/** The list's address without what was said on it. */
function here({ url }: Visit): URL {
  const address = new URL(url);
  address.searchParams.delete("note");
  return address;
}
