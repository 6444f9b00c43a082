import { listActions } from "../../../../shared/contracts/action/contracts.ts";
import { isRefused } from "../../../../shared/errors.ts";
import { type Html, html } from "../../../../shared/html.ts";
import { validate } from "../../../http/input/validate.ts";
import { readActionInTurn } from "../../../queries/action/undone.ts";
import type { QueryContext } from "../../../queries/engine/context.ts";
import { formToken } from "../../../web/form/form.ts";
import type { Visit } from "../session/context.ts";
import { hereWithoutNotes } from "../session/go-on.ts";
import { lateNotice } from "./late-notice.ts";
import { noteParameter, told } from "./note-address.ts";

/**
 * The result of the last tick (`?tick=…`), always in view. The empty element stays on the page, because screen readers
 * announce only changes within an element that they know.
 */
export async function tickNotice(visit: Visit, query: QueryContext, today: string): Promise<Html> {
  return html`<div id="notice" class="toast" role="status" data-part>${await content(visit, query, today)}</div>`;
}

async function content(visit: Visit, query: QueryContext, today: string): Promise<Html | null> {
  const [kind, ...rest] = (visit.url.searchParams.get(noteParameter) ?? "").split("_");
  if (kind === "late") return lateNotice(visit, query, { today, asked: rest });
  if (kind === "done" || kind === "undone") return undoNotice(visit, query, { kind, key: rest.join("_") });
  const text = kind === "told" && told.get(rest.join("_"));
  return text ? note(visit, html`<p>${text}</p>`) : null;
}

const note = ({ url }: Visit, content: Html): Html =>
  html`<div class="note spread">${content}<a class="close" href="${hereWithoutNotes({ url })}" aria-label="Close">×</a></div>`;

type Ticked = Readonly<{ kind: "done" | "undone"; key: string }>;

/** Offers to undo a tick while it stands. */
async function undoNotice(visit: Visit, query: QueryContext, { kind, key }: Ticked): Promise<Html | null> {
  if (isRefused(validate(listActions, { cursor: key }))) return null;
  const [called_at = "", request_id = ""] = key.split("_");
  const action = await readActionInTurn(query, { called_at, request_id });
  if (!action || action.undone_by !== null || action.door !== "page") return null;
  const place = `${action.resource_kind}-${action.resource_id}`;
  return note(
    visit,
    html`<p>${kind === "done" ? "Done" : "Not done"}: <strong>${action.resource_name}</strong></p>
    <form method="post" action="/account/tick/undo" data-stay>${formToken(visit)}
    <input type="hidden" name="called_at" value="${called_at}">
    <input type="hidden" name="request_id" value="${request_id}">
    <input type="hidden" name="next" value="${place}">
    <input type="hidden" name="from" value="${hereWithoutNotes(visit)}">
    <button class="link">Undo</button></form>`,
  );
}
