import type { Static } from "typebox";
import type { UndoEnd } from "../../../../shared/contracts/action/undo.ts";
import type { Commands, InputOf } from "../../../../shared/contracts/catalogue.ts";
import type { ActionRow } from "../../../../shared/db/entities.ts";
import { timestamp } from "../../../../shared/domain/day/day.ts";
import type { Call } from "../../../../shared/queue/batch.ts";
import type { HandlerContext } from "../../handler.ts";
import { changedImages, writeAction } from "../action-log.ts";
import type { ChangedRows, Conflict } from "./changed-row.ts";
import { undoTool } from "./images-of.ts";

export type UndoneKey = InputOf<Commands["action.undo"]>["actions"][number];
export type End = Static<typeof UndoEnd>;

/** An action that is not undone and whose changes are known. */
export type Undoable = Readonly<{ key: UndoneKey; action: ActionRow; rows: ChangedRows }>;

export const end = (
  { called_at, request_id }: UndoneKey,
  undone: End["undone"],
  conflicts: readonly Conflict[],
): End => ({
  called_at,
  request_id,
  undone,
  conflicts: conflicts.map((conflict) => ({ ...conflict, fields: [...conflict.fields] })),
});

/** Logs the undo of an action, unless nothing was undone. */
export function logged(
  context: HandlerContext,
  { key, action }: Undoable,
  conflicts: readonly Conflict[],
  when: Pick<Call, "startedAt" | "index">,
): End {
  const changes = context.takeChanges();
  const images = changedImages(context, changes);
  if (Object.keys({ ...images.before, ...images.after }).length === 0) return end(key, "none", conflicts);
  const call = {
    requestId: Bun.randomUUIDv7(),
    door: "page" as const,
    tokenId: "",
    clientName: null,
    tool: undoTool,
    arguments: undoArguments(action, conflicts),
    ...when,
  };
  const { resource_kind, resource_id, resource_name } = action;
  const resource = { resource_kind, resource_id, resource_name };
  writeAction(context, call, { outcome: "ok", replayed: false, resource, images });
  context.actions.update(action, { undone_by: call.requestId });
  standAgain(context, action);
  // These changes stay, even if the next action fails.
  context.takeChanges();
  return end(key, conflicts.length > 0 ? "part" : "whole", conflicts);
}

/** Rows of the log are bounded, and cut arguments would not name the undone action. */
const mostConflictsKept = 10;

/** The arguments of an undo's row: the undone action, and its conflicts for the pages to show. */
function undoArguments({ called_at, request_id }: ActionRow, conflicts: readonly Conflict[]): string {
  const stayed = conflicts.slice(0, mostConflictsKept);
  return JSON.stringify({
    called_at: timestamp(called_at),
    request_id,
    ...(stayed.length > 0 && { stayed }),
  });
}

/** After the undo of its undo, an action is in force again and can be undone again. */
function standAgain({ actions }: HandlerContext, undo: ActionRow): void {
  const undone = undoneBy(undo);
  const action = actions.all().find(({ request_id }) => request_id === undone?.request_id);
  if (action) actions.update(action, { undone_by: null });
}

/** @returns the action that this one undid, unless it was forgotten; an agent's tool can have any name */
export function undoneBy({ door, tool, arguments: stored }: ActionRow): UndoneKey | undefined {
  if (door !== "page" || tool !== undoTool) return undefined;
  const { called_at, request_id }: Partial<UndoneKey> = JSON.parse(stored);
  return called_at && request_id ? { called_at, request_id } : undefined;
}
