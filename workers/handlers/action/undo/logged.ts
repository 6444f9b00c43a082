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
  flipUndone(context, action, call.requestId);
  // These changes stay, even if the next action fails.
  context.takeChanges();
  return end(key, conflicts.length > 0 ? "part" : "whole", conflicts);
}

/** Rows of the log are bounded, and cut arguments would not name the undone action. */
const mostConflictsKept = 10;

/**
 * The arguments of an undo's row: the undone action, the first one of a chain of undos, and the conflicts for the pages to
 * show.
 */
function undoArguments(action: ActionRow, conflicts: readonly Conflict[]): string {
  const { called_at, request_id } = action;
  const stayed = conflicts.slice(0, mostConflictsKept);
  const first = undoneBy(action).at(-1);
  return JSON.stringify({
    ...{ called_at: timestamp(called_at), request_id },
    ...(first && { first }),
    ...(stayed.length > 0 && { stayed }),
  });
}

/**
 * After the undo of an undo, the action that this had undone is in force again. In a longer chain, undo and redo in turn
 * undo its first action and bring it back.
 */
function flipUndone({ actions }: HandlerContext, undo: ActionRow, by: string): void {
  const [undone, first] = undoneBy(undo).map((key) =>
    actions.all().find(({ request_id }) => request_id === key.request_id),
  );
  if (undone) actions.update(undone, { undone_by: null });
  if (first) actions.update(first, { undone_by: first.undone_by == null ? by : null });
}

/**
 * @returns the action that this one undid, and the first of a chain if that was an undo itself; none if it was forgotten. An
 * agent's tool can have any name
 */
export function undoneBy({ door, tool, arguments: stored }: ActionRow): readonly UndoneKey[] {
  if (door !== "page" || tool !== undoTool) return [];
  const { called_at, request_id, first }: Partial<UndoneKey & { first: UndoneKey }> = JSON.parse(stored);
  return called_at && request_id ? [{ called_at, request_id }, ...(first ? [first] : [])] : [];
}
