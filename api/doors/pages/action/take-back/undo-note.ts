import { listActions } from "../../../../../shared/contracts/action/contracts.ts";
import { isRefused } from "../../../../../shared/errors.ts";
import { type Html, html } from "../../../../../shared/html.ts";
import { validate } from "../../../../http/input/validate.ts";
import { type ActionKey, readAction, readUndos, type Undo } from "../../../../queries/action/undone.ts";
import type { QueryContext } from "../../../../queries/engine/context.ts";
import type { Visit } from "../../session/context.ts";
import { submitUndo } from "../../session/submit-undo.ts";
import type { LoggedRow } from "../words/logged-row.ts";
import { type Word, wordsInHtml } from "../words/words.ts";
import type { Obstacle } from "./conflict-words.ts";
import { stayedAt, tellObstacles } from "./conflicts.ts";

export type Day = Readonly<{ timeZone: string; today: string }>;
export type UndoNote = Readonly<{ request_id: string; note: Html }>;

/**
 * What became of an action that was to be taken back (`?note=…`): the log says it, and of one that still stands a
 * preview does. So the page can be loaded again, and says what is true then.
 */
export async function readNote(
  visit: Visit,
  query: QueryContext,
  day: Day,
  cursor = visit.url.searchParams.get("note") ?? "",
): Promise<UndoNote | undefined> {
  if (cursor === "forgotten") return { request_id: "", note: noteOf("It is forgotten for good.", [], day) };
  if (isRefused(validate(listActions, { cursor }))) return undefined;
  const [called_at = "", request_id = ""] = cursor.split("_");
  const found = await query.inTurn((own) => readNoted(own, { called_at, request_id }), false);
  if (isRefused(found) || !found.action) return undefined;
  const { action, undo } = found;
  const [headline, obstacles] = await endOf(visit, action, undo);
  if (!headline || !obstacles) return undefined;
  const [told = []] = await tellObstacles(query, [{ action, obstacles }], day);
  return { request_id, note: noteOf(headline, told, day) };
}

async function readNoted(query: QueryContext, key: ActionKey) {
  const action = await readAction(query, key);
  const undos = await readUndos(query, action ? [action] : []);
  return { action, undo: undos.get(action?.undone_by ?? "") };
}

/** @returns undefined for an action that could be taken back now */
async function endOf(
  visit: Visit,
  action: LoggedRow,
  undo: Undo | undefined,
): Promise<readonly [headline: string, obstacles: readonly Obstacle[]] | []> {
  if (action.undone_by !== null) {
    const stayed = undo ? stayedAt(undo) : [];
    return [stayed.length > 0 ? "Taken back, but not all of it." : "Taken back.", stayed];
  }
  const outcome = await submitUndo(visit, [action], { preview: true });
  const [end] = isRefused(outcome) ? [] : outcome.ends;
  return end && end.undone !== "whole" ? ["This could not be taken back.", end.conflicts] : [];
}

function noteOf(headline: string, told: readonly (readonly Word[])[], { today }: Day): Html {
  const reading = { today, addressOf: () => undefined };
  return html`<div class="note${told.length > 0 && " warn"}" role="status"><p>${headline}</p>
    ${told.length > 0 && html`<ul>${told.map((words) => html`<li>${wordsInHtml(words, reading)}</li>`)}</ul>`}</div>`;
}
