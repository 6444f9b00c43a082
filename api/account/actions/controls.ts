import { undoDays } from "../../../shared/contracts/action.ts";
import { localTime, msPerDay } from "../../../shared/domain/day.ts";
import { formToken } from "../../../shared/web/form.ts";
import { type Html, html } from "../../../shared/web/html.ts";
import type { QueryContext } from "../../queries/context.ts";
import { readUndos } from "../../queries/undone.ts";
import type { Visit } from "../visit/context.ts";
import { sayWallTime } from "../visit/dates.ts";
import type { LoggedRow } from "./logged-row.ts";
import { thingsIn } from "./named-ids.ts";
import { stayedAt } from "./obstacles.ts";
import { type Day, readNote } from "./undo-note.ts";

type Controls = Readonly<{
  /** What can be done about an action, and what became of it. */
  controls(action: LoggedRow): Html | undefined;
  /** What became of an action that the list does not show. */
  note: Html | undefined;
}>;

/** The buttons of the rows of a list. */
export async function controlsOf(
  visit: Visit,
  query: QueryContext,
  { actions, ...day }: Day & Readonly<{ actions: readonly LoggedRow[] }>,
): Promise<Controls> {
  const [undos, noted] = await Promise.all([readUndos(query, actions), readNote(visit, query, day)]);
  const isListed = actions.some(({ request_id }) => request_id === noted?.request_id);
  return {
    note: isListed ? undefined : noted?.note,
    controls(action) {
      const undo = action.undone_by === null ? undefined : undos.get(action.undone_by);
      const parts = [
        action.request_id === noted?.request_id && noted.note,
        action.undone_by === null
          ? buttons(visit, action, query.now)
          : sayUndone(visit, { action, undo, ...day }),
      ].filter((part) => part !== undefined && part !== false);
      return parts.length > 0 ? html`${parts}` : undefined;
    },
  };
}

type Undone = Day &
  Readonly<{
    action: LoggedRow;
    undo: (Parameters<typeof stayedAt>[0] & Pick<LoggedRow, "called_at">) | undefined;
  }>;

function sayUndone(visit: Visit, { action, undo, timeZone, today }: Undone): Html {
  if (!undo) return html`<p class="controls quiet small">Taken back</p>`;
  const at = sayWallTime(localTime(Date.parse(undo.called_at), timeZone), today);
  const url = here(visit);
  url.searchParams.set("note", `${action.called_at}_${action.request_id}`);
  const address = `${url.pathname}${url.search}#action-${action.request_id}`;
  const rest = stayedAt(undo).length > 0 && html`, <a href="${address}">but not all of it</a>`;
  return html`<p class="controls quiet small">Taken back on <time datetime="${undo.called_at}">${at}</time>${rest}</p>`;
}

function buttons(visit: Visit, action: LoggedRow, now: number): Html | undefined {
  const { called_at, request_id, before, after } = action;
  const isChange = before !== null || after !== null;
  if (!isChange || Date.parse(called_at) < now - undoDays * msPerDay) return undefined;
  const isDeletion = removedThings(action).length > 0;
  return html`<form method="post" action="/account/actions/undo" class="controls">${formToken(visit)}
    <input type="hidden" name="called_at" value="${called_at}">
    <input type="hidden" name="request_id" value="${request_id}">
    <input type="hidden" name="from" value="${here(visit).pathname}${here(visit).search}">
    <button class="plain">${isDeletion ? "Bring it back" : "Take back"}${which(action)}</button></form>`;
}

/** Tells one button from another where they are listed without what is around them. */
const which = ({ resource_name, called_at }: LoggedRow): Html =>
  html`<span class="unseen">: ${resource_name ?? called_at}</span>`;

/** The list's address without what was said on it. */
function here({ url }: Visit): URL {
  const address = new URL(url);
  address.searchParams.delete("note");
  return address;
}

/** The things that an action deleted, as far as the log's row has them. */
const removedThings = (action: LoggedRow) => thingsIn(action).filter(({ after }) => after === undefined);
