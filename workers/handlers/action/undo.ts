import type { Static } from "typebox";
import { maxUndoneLength, type UndoEnd, undoDays } from "../../../shared/contracts/action/contracts.ts";
import type { Commands, InputOf } from "../../../shared/contracts/catalogue.ts";
import type { ActionImagesRow, ActionRow } from "../../../shared/db/entities.ts";
import type { Image } from "../../../shared/domain/action/image-fields.ts";
import {
  type Images,
  lengthWithTexts,
  parseRowName,
  readImages,
} from "../../../shared/domain/action/images.ts";
import { timestamp } from "../../../shared/domain/day/day.ts";
import type { Call } from "../../../shared/queue/batch.ts";
import { forUpdate, type RowRequest, withoutLock } from "../../unit-of-work/row-request.ts";
import { membersReturn, type ReturningMembers } from "../category.ts";
import { beginWork, type Handler, type HandlerContext, type OwnTables } from "../handler.ts";
import { changedImages, writeAction } from "./action-log.ts";
import { type ChangedRow, type ChangedRows, type Conflict, idOf } from "./undo/changed-row.ts";
import { neededRows, takeBack } from "./undo/take-back.ts";

/**
 * Undoes actions, newest first. Each undo has its own row and changes in the log, so it can be undone like any other
 * action.
 */
export const actionUndo: Handler<"action.undo"> = {
  stores: "back",
  rows: ({ actions }) =>
    actions.flatMap(({ called_at, request_id }) => [
      forUpdate("action_log", [called_at, request_id]),
      ...withoutLock("action_images", [called_at, request_id]),
    ]),
  related: (loaded, { actions }) => ({ rows: rowsOf(loaded, fitting(loaded, actions)) }),
  steps: membersReturn,
  run(context, { actions: asked, step }) {
    const actions = fitting(context, asked);
    const isAll = actions.length === asked.length;
    const leavesParts = step === "whole" || (step === "whole_unless_all" && !isAll);
    // Steps of one undo follow each other and are undone in that order.
    const startedAt = step ? context.nowMs : context.acceptedAt;
    const known = actions.map((key) => undoable(context, key));
    const standing = known.filter((one) => "rows" in one);
    const taken = takeBackAll(context, standing, { leavesParts, startedAt });
    const ends = new Map(
      [...known.filter((one) => "undone" in one), ...taken].map((one) => [one.request_id, one]),
    );
    const left = categoriesBack(
      context,
      standing.map(({ rows }) => rows),
    );
    if (left.length > 0 && !step) beginWork(context, "action.undo", { left });
    return { ends: actions.flatMap(({ request_id }) => ends.get(request_id) ?? []), left: [...left] };
  },
};

function rowsOf(loaded: OwnTables, keys: readonly UndoneKey[]): RowRequest[] {
  const ids = new Set(keys.map(({ request_id }) => request_id));
  const actions = loaded.actions.all().filter(({ request_id }) => ids.has(request_id));
  const undone = actions.flatMap(undoneBy);
  return [
    ...undone.map(({ called_at, request_id }) => forUpdate("action_log", [called_at, request_id])),
    ...neededRows(actions.flatMap((action) => changedRows(loaded, action) ?? [])),
  ];
}

/** @returns the action, or the reason why it stays */
function undoable(context: HandlerContext, key: UndoneKey): Undoable | End {
  const stays = (why: Conflict["why"]) => end(key, "none", [{ row: null, why, fields: [] }]);
  const action = context.actions.all().find(({ request_id }) => request_id === key.request_id);
  if (!action) return stays("unknown");
  if (Date.parse(timestamp(action.called_at)) < context.nowMs - undoDays * 86_400_000)
    return stays("too_old");
  if (action.undone_by != null) return stays("taken_back");
  const rows = changedRows(context, action);
  if (!rows) return stays("too_old");
  return rows.size === 0 ? stays("nothing_changed") : { key, action, rows };
}

/**
 * Undoes whole actions repeatedly, because two simultaneous requests may have been carried out in the other order.
 * Then it undoes the rest in part, unless the rest waits for other actions. A category that an action made goes only
 * when no other action can bring a row back into it, which then keeps it.
 */
function takeBackAll(
  context: HandlerContext,
  actions: readonly Undoable[],
  { leavesParts, startedAt }: Readonly<{ leavesParts: boolean; startedAt: number }>,
): End[] {
  const ends: End[] = [];
  let left = actions.toSorted(newestFirst);
  for (let before = -1; before !== left.length; ) {
    before = left.length;
    const standing = new Set(left);
    left = left.filter((one) => {
      if (mayBeReturnedTo(one.rows, leavesParts ? "any" : rowsOfOthers(standing, one))) return true;
      const isWhole = takeBack(context, one.rows).length === 0;
      if (isWhole) ends.push(logged(context, one, [], { startedAt, index: ends.length }));
      else context.discardChanges();
      if (isWhole) standing.delete(one);
      return !isWhole;
    });
  }
  if (leavesParts) return [...ends, ...left.map(({ key }) => end(key, "none", []))];
  for (const one of left)
    ends.push(logged(context, one, takeBack(context, one.rows), { startedAt, index: ends.length }));
  return ends;
}

const rowsOfOthers = (standing: ReadonlySet<Undoable>, one: Undoable): ChangedRows[] =>
  [...standing].flatMap((other) => (other === one ? [] : [other.rows]));

const newestFirst = ({ action: one }: Undoable, { action: other }: Undoable): number =>
  orderOf(one) < orderOf(other) ? 1 : -1;
const orderOf = ({ called_at, request_id }: ActionRow): string => `${timestamp(called_at)} ${request_id}`;

/** The most rows that one undo of several actions changes. It takes a worker some 50 ms, in which it answers nobody. */
const mostRows = 1_000;

/** @returns the first actions that fit into one command; at least one */
function fitting<Key extends Readonly<{ request_id: string }>>(
  loaded: OwnTables,
  keys: readonly Key[],
): readonly Key[] {
  const actions = new Map(loaded.actions.all().map((action) => [action.request_id, action]));
  let [rows, length] = [0, 0];
  const end = keys.findIndex(({ request_id }, index) => {
    const action = actions.get(request_id);
    if (!action) return false;
    length += lengthOfImages(loaded, action);
    rows += changedRows(loaded, action)?.size ?? 0;
    return index > 0 && (rows > mostRows || length > maxUndoneLength);
  });
  return end === -1 ? keys : keys.slice(0, end);
}

type UndoneKey = InputOf<Commands["action.undo"]>["actions"][number];
type End = Static<typeof UndoEnd>;

/** An action that is not undone and whose changes are known. */
type Undoable = Readonly<{ key: UndoneKey; action: ActionRow; rows: ChangedRows }>;

const end = (
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
function logged(
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
function undoneBy({ door, tool, arguments: stored }: ActionRow): readonly UndoneKey[] {
  if (door !== "page" || tool !== undoTool) return [];
  const { called_at, request_id, first }: Partial<UndoneKey & { first: UndoneKey }> = JSON.parse(stored);
  return called_at && request_id ? [{ called_at, request_id }, ...(first ? [first] : [])] : [];
}

/**
 * True if an action made a category to which the undo of another one may bring a row back.
 * @param others the rows of the other actions; any, if these are not known here
 */
function mayBeReturnedTo(rows: ChangedRows, others: readonly ChangedRows[] | "any"): boolean {
  const made = [...rows.values()].filter(({ table, before }) => table === "categories" && !before).map(idOf);
  if (made.length === 0 || others === "any") return made.length > 0;
  return others.some((other) =>
    [...other.values()].some(({ before }) => made.some((id) => id === before?.category_id)),
  );
}

/** The categories that this undo restored. */
function categoriesBack({ categories }: HandlerContext, actions: readonly ChangedRows[]): ReturningMembers {
  const gone = actions.flatMap((rows) =>
    [...rows.values()].filter(({ table, after }) => table === "categories" && !after),
  );
  const ids = new Set(gone.map(idOf).filter((id) => categories.get(id)));
  return [...ids].map((category_id) => ({ category_id }));
}

const undoTool = "action.undo";

type Stored = Readonly<{ before?: string | null | undefined; after?: string | null | undefined }>;

/** An undo first asks for its rows and later works with them. Images can be long, so they are parsed once. */
const parsed = new WeakMap<ActionRow, ChangedRows | undefined>();

/** @returns the changes of an action, by row; undefined if some are no longer stored */
function changedRows(loaded: OwnTables, action: ActionRow): ChangedRows | undefined {
  if (!parsed.has(action)) parsed.set(action, parse(storedImages(loaded, action), action));
  return parsed.get(action);
}

/** @returns the length of the images that an undo must parse (UTF-16 units) */
const lengthOfImages = (loaded: OwnTables, action: ActionRow): number =>
  storedImages(loaded, action)
    .map(({ before, after }) => lengthWithTexts(before ?? "") + lengthWithTexts(after ?? ""))
    .reduce((sum, length) => sum + length, 0);

/** The whole images of an action, and those of its further steps. A forgotten action has none. */
function storedImages({ images }: OwnTables, action: ActionRow): readonly Stored[] {
  const own = images.all().filter(({ request_id }) => request_id === action.request_id);
  const isFirst = ({ called_at }: ActionImagesRow) => timestamp(called_at) === timestamp(action.called_at);
  const first = own.find(isFirst) ?? action;
  return first.after == null ? [first] : [first, ...own.filter((row) => !isFirst(row))];
}

function parse(stored: readonly Stored[], action: ActionRow): ChangedRows | undefined {
  const befores = stored.map(({ before }) => readImages(before));
  const afters = stored.map(({ after }) => readImages(after));
  if ([...befores, ...afters].some(({ cut }) => cut)) return undefined;
  const merged = (parts: typeof afters): Images => Object.assign({}, ...parts.map(({ images }) => images));
  return byRow(merged(befores), merged(afters), action.tool === undoTool);
}

function byRow(before: Images, after: Images, isReturn: boolean): ChangedRows {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return new Map(
    [...names]
      .filter((name) => !isAnnounced(before[name], after[name]))
      .map((name): [string, ChangedRow] => [
        name,
        { name, ...parseRowName(name), before: before[name], after: after[name], isReturn },
      ]),
  );
}

/** A row without fields was to be made by a further step, which did not come. */
const isAnnounced = (before: Image | undefined, after: Image | undefined): boolean =>
  !before && after !== undefined && Object.keys(after).length === 0;
