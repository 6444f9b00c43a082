import type { Static } from "typebox";
import { maxUndoneLength, type UndoEnd, undoDays } from "../../../shared/contracts/action.ts";
import type { Commands, InputOf } from "../../../shared/contracts/catalogue.ts";
import { deletionKinds } from "../../../shared/db/entities/deletion.ts";
import type { ActionRow } from "../../../shared/db/entities.ts";
import { timestamp } from "../../../shared/domain/timestamp.ts";
import { unavailable } from "../../../shared/errors.ts";
import { forUpdate, type RowRequest, withoutLock } from "../../unit-of-work/row-request.ts";
import type { Handler, HandlerContext, LoadedTables } from "../handler.ts";
import { changedImages, writeAction } from "./action-log.ts";
import type { ChangedRows, Conflict } from "./undo/changed-row.ts";
import { changedRows, lengthOfImages, undoTool } from "./undo/images-of.ts";
import { neededRows } from "./undo/needed-rows.ts";
import { takeBack } from "./undo/take-back.ts";

type UndoInput = InputOf<Commands["action.undo"]>;
type ActionKey = UndoInput["actions"][number];
type End = Static<typeof UndoEnd>;

/** An action of which it is known what it did, and that stands. */
type Undoable = Readonly<{ key: ActionKey; action: ActionRow; rows: ChangedRows }>;

/**
 * Takes actions back, the newest first. Each has a row of its own in the log, with what that changed: so an undo can be
 * taken back like any other action.
 */
export const actionUndo: Handler<"action.undo"> = {
  slow: true,
  rows: ({ actions }) =>
    actions.flatMap(({ called_at, request_id }) => [
      forUpdate("action_log", [called_at, request_id]),
      ...withoutLock("action_images", [called_at, request_id]),
    ]),
  related: (loaded, input) => ({
    rows: isTooMuch(loaded, input) ? [] : loaded.actions.all().flatMap((action) => rowsOf(loaded, action)),
  }),
  run(context, { actions, preview }) {
    if (isTooMuch(context, { actions })) return unavailable("no");
    const discard = preview ? context.checkpoint() : undefined;
    const known = actions.map((key) => undoable(context, key));
    const ends = new Map<string, End>();
    const standing: Undoable[] = [];
    for (const [index, one] of known.entries()) {
      const key = actions[index];
      if (typeof one === "object") standing.push(one);
      else if (key) ends.set(key.request_id, end(key, "none", [{ row: null, why: one, fields: [] }]));
    }
    for (const one of takeBackAll(context, standing)) ends.set(one.request_id, one);
    forgetDeletions(context);
    discard?.();
    return { ends: actions.flatMap(({ request_id }) => ends.get(request_id) ?? []) };
  },
};

/** One action is always taken back; the caller makes less of several. */
const isTooMuch = (loaded: LoadedTables, { actions }: UndoInput): boolean =>
  actions.length > 1 && lengthOfImages(loaded) > maxUndoneLength;

function rowsOf(loaded: LoadedTables, action: ActionRow): RowRequest[] {
  const undone = undoneBy(action);
  const rows = changedRows(loaded, action);
  return [
    ...(undone ? [forUpdate("action_log", [undone.called_at, undone.request_id])] : []),
    ...(rows ? neededRows(rows) : []),
  ];
}

const end = (
  { called_at, request_id }: ActionKey,
  undone: End["undone"],
  conflicts: readonly Conflict[],
): End => ({
  called_at,
  request_id,
  undone,
  conflicts: conflicts.map((conflict) => ({ ...conflict, fields: [...conflict.fields] })),
});

/** @returns the action, or why it cannot be taken back */
function undoable(context: HandlerContext & LoadedTables, key: ActionKey): Undoable | Conflict["why"] {
  const action = context.actions.all().find(({ request_id }) => request_id === key.request_id);
  if (!action) return "unknown";
  if (Date.parse(timestamp(action.called_at)) < context.nowMs - undoDays * 86_400_000) return "too_old";
  if (action.undone_by != null) return "taken_back";
  const rows = changedRows(context, action);
  if (!rows) return "too_old";
  return rows.size === 0 ? "nothing_changed" : { key, action, rows };
}

/**
 * Takes back as a whole what can be, again and again: two requests at the same moment may have been carried out in the
 * other order than they came. What is left then comes back in part.
 */
function takeBackAll(context: HandlerContext, actions: readonly Undoable[]): End[] {
  const ends: End[] = [];
  let left = actions.toSorted(newestFirst);
  for (let before = -1; before !== left.length; ) {
    before = left.length;
    left = left.filter((one) => {
      const isWhole = takeBack(context, one.rows).length === 0;
      if (isWhole) ends.push(logged(context, one, [], ends.length));
      else context.discardChanges();
      return !isWhole;
    });
  }
  for (const one of left) ends.push(logged(context, one, takeBack(context, one.rows), ends.length));
  return ends;
}

const newestFirst = ({ action: one }: Undoable, { action: other }: Undoable): number =>
  orderOf(one) < orderOf(other) ? 1 : -1;
const orderOf = ({ called_at, request_id }: ActionRow): string => `${timestamp(called_at)} ${request_id}`;

/** Notes in the log what was taken back, unless nothing was. */
function logged(
  context: HandlerContext,
  { key, action }: Undoable,
  conflicts: readonly Conflict[],
  place: number,
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
    startedAt: context.acceptedAt,
    place,
  };
  const { resource_kind: kind, resource_id: id, resource_name: name } = action;
  const resource = kind && id ? { kind, id, name: name ?? null } : undefined;
  writeAction(context, call, { outcome: "ok", replayed: false, resource, images });
  context.actions.update(action, { undone_by: call.requestId });
  standAgain(context, action);
  // What was just written stays, whatever becomes of the next.
  context.takeChanges();
  return end(key, conflicts.length > 0 ? "part" : "whole", conflicts);
}

/** Rows of the log are bounded, and arguments that were cut would not tell what was taken back. */
const mostConflictsKept = 10;

/** Beside the action that was taken back: what of it had to stay, for the pages to tell. */
function undoArguments({ called_at, request_id }: ActionRow, conflicts: readonly Conflict[]): string {
  const stayed = conflicts.slice(0, mostConflictsKept);
  return JSON.stringify({
    called_at: timestamp(called_at),
    request_id,
    ...(stayed.length > 0 && { stayed }),
  });
}

/** What an undo took back stands again once the undo is taken back, and can be taken back again. */
function standAgain({ actions }: HandlerContext, undo: ActionRow): void {
  const undone = undoneBy(undo);
  const action = actions.all().find(({ request_id }) => request_id === undone?.request_id);
  if (action) actions.update(action, { undone_by: null });
}

/** @returns the action that this one took back, unless that was forgotten since; an agent's tool can have any name */
function undoneBy({ door, tool, arguments: stored }: ActionRow): ActionKey | undefined {
  if (door !== "page" || tool !== undoTool) return undefined;
  const { called_at, request_id }: Partial<ActionKey> = JSON.parse(stored);
  return called_at && request_id ? { called_at, request_id } : undefined;
}

/** What came back was not deleted. Of todos nothing hangs on the note of a deletion, so theirs stays. */
function forgetDeletions({ deletions, categories, habits }: HandlerContext): void {
  const tables = { categories, habits };
  for (const { kind, id } of deletions.all())
    for (const table of ["categories", "habits"] as const)
      if (deletionKinds[table] === kind && tables[table].get(id)) deletions.remove(kind, id);
}
