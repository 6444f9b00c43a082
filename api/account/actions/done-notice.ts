import { listActions } from "../../../shared/contracts/action.ts";
import { validate } from "../../../shared/contracts/validate.ts";
import { isRefused } from "../../../shared/errors.ts";
import { formToken } from "../../../shared/web/form.ts";
import { type Html, html } from "../../../shared/web/html.ts";
import { readDaySettings } from "../../queries/context.ts";
import { readActionInTurn } from "../../queries/undone.ts";
import type { Visit } from "../visit/context.ts";
import { doneParameter, hereWithoutNotes } from "../visit/go-on.ts";
import type { LoggedRow } from "./logged-row.ts";
import { undoPath } from "./paths.ts";
import { readNote } from "./undo-note.ts";

/** What the person has just done (`?did=…`), with a button that takes it back; or what became of taking it back. */
export async function doneNotice(visit: Visit): Promise<Html | undefined> {
  const cursor = visit.url.searchParams.get(doneParameter) ?? "";
  if (cursor === "" || isRefused(validate(listActions, { cursor }))) return undefined;
  const query = visit.context.query({ userId: visit.session.sub });
  const { today } = await readDaySettings(query);
  const undone = await readNote(visit, query, { timeZone: today.timeZone, today: today.date }, cursor);
  if (undone) return undone.note;
  const [called_at = "", request_id = ""] = cursor.split("_");
  const action = await readActionInTurn(query, { called_at, request_id });
  return action && action.outcome === "ok" ? undoOffer(visit, action) : undefined;
}

const verbs: Readonly<Record<string, string>> = { create: "Added", update: "Saved", delete: "Deleted" };

function undoOffer(
  visit: Visit,
  { tool, resource_name, called_at, request_id }: LoggedRow,
): Html | undefined {
  const verb = verbs[tool.split(".")[1] ?? ""];
  if (verb === undefined || resource_name === null) return undefined;
  return html`<div class="note spread" role="status"><p>${verb}: <strong>${resource_name}</strong></p>
    <form method="post" action="${undoPath}">${formToken(visit)}
    <input type="hidden" name="called_at" value="${called_at}">
    <input type="hidden" name="request_id" value="${request_id}">
    <input type="hidden" name="from" value="${hereWithoutNotes(visit)}">
    <button class="link">Undo<span class="unseen">: ${verb} ${resource_name}</span></button></form></div>`;
}
