import { listActions } from "../../../../../shared/contracts/action/contracts.ts";
import { isRefused } from "../../../../../shared/errors.ts";
import { type Html, html } from "../../../../../shared/html.ts";
import { validate } from "../../../../http/input/validate.ts";
import { readActionInTurn } from "../../../../queries/action/undone.ts";
import { type QueryContext, readDaySettings } from "../../../../queries/engine/context.ts";
import { formToken } from "../../../../web/form/form.ts";
import type { Visit } from "../../session/context.ts";
import { doneParameter, hereWithoutNotes, undoneParameter } from "../../session/go-on.ts";
import { undoPath } from "../paths.ts";
import type { LoggedRow } from "../words/logged-row.ts";
import { type Day, readNote } from "./undo-note.ts";

/**
 * What the person has just done (`?did=…`), with a button that takes it back; or what became of taking it back
 * (`?undid=…`), which alone takes a preview: that is as slow as an undo, and is not for every page that is loaded.
 */
export async function doneNotice(visit: Visit): Promise<Html | undefined> {
  const { searchParams } = visit.url;
  const undone = searchParams.get(undoneParameter);
  const cursor = undone ?? searchParams.get(doneParameter) ?? "";
  if (cursor === "" || isRefused(validate(listActions, { cursor }))) return undefined;
  const query = visit.context.query({ userId: visit.session.sub });
  const noted = undone === null ? undefined : await readNote(visit, query, await dayOf(query), undone);
  if (noted) return noted.note;
  const [called_at = "", request_id = ""] = cursor.split("_");
  const action = await readActionInTurn(query, { called_at, request_id });
  const stands = action?.outcome === "ok" && action.undone_by === null;
  return action && stands ? undoOffer(visit, action) : undefined;
}

async function dayOf(query: QueryContext): Promise<Day> {
  const { today } = await readDaySettings(query);
  return { timeZone: today.timeZone, today: today.date };
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
