import { type CommandName, commands } from "../../../shared/contracts/catalogue.ts";
import { runAsOne } from "../../../shared/contracts/group/contracts.ts";
import type { ActionRow } from "../../../shared/db/entities.ts";
import { cutArguments, cutStored, keptOfRefused } from "../../../shared/domain/action/cut-arguments.ts";
import {
  type BeforeAndAfter,
  cutImages,
  imagesOf,
  kindOfTable,
  type RowChange,
  shareTexts,
  thingsIn,
} from "../../../shared/domain/action/images.ts";
import type { ResourceKind } from "../../../shared/domain/vocabulary.ts";
import { isRefused } from "../../../shared/errors.ts";
import { type Call, isToolCall, type QueuedCommand, type Reply } from "../../../shared/queue/batch.ts";
import { trustedTime } from "../../unit-of-work/connection.ts";
import type { Handler, HandlerContext } from "../handler.ts";

/** The resource of an action, with its name at that moment. */
type NamedResource = Pick<ActionRow, "resource_kind" | "resource_id" | "resource_name">;

/** The end of an action: `ok`, or the code of the refusal with its sentence. */
type ActionEnd = Readonly<{
  outcome: string;
  message?: string | undefined;
  replayed: boolean;
  resource?: NamedResource | undefined;
  images?: BeforeAndAfter | undefined;
  calls?: number;
  durationMs?: number;
  isRepeat?: boolean;
}>;

/**
 * Logs the outcome of a command, in its own transaction. An agent's call always has a row. Over REST a repeat has
 * none, because it does nothing. A form has one if it changed something that agents can change, too.
 */
export function logAction(
  context: HandlerContext,
  { name, call, input, fingerprint }: QueuedCommand,
  { outcome, replayed }: Reply,
): void {
  // A replay without a key is the same call again, whose row was committed with its reply, maybe at another time.
  if (!call || (replayed && (fingerprint === null || !isToolCall(call)))) return;
  const changes = context.takeChanges();
  if (call.door === "page" && (changes.length === 0 || isOfPagesAlone(name))) return;
  const resource = resourceOf(context, name, input, changes);
  if (isRefused(outcome)) {
    const { code, message } = outcome.refusal;
    // The door has already cut a tool's arguments; those of a call that runs are cut here.
    const sent = isToolCall(call)
      ? cutStored(call.arguments, keptOfRefused)
      : cutArguments(Object.assign({}, input), keptOfRefused);
    writeAction(context, { ...call, arguments: sent }, { outcome: code, message, replayed, resource });
  } else {
    const images = changedImages(context, changes);
    writeAction(context, call, { outcome: "ok", replayed, resource, images });
  }
}

/**
 * A setting that moves reminders is no change of theirs: undoing it would leave them in a zone that is not the
 * user's.
 */
export const isOfPagesAlone = (name: CommandName): boolean =>
  commands[name].scopes.length === 0 && name !== runAsOne.name;

export const changedImages = ({ today, dayStartHour }: HandlerContext, changes: readonly RowChange[]) =>
  imagesOf(changes, { time_zone: today.timeZone, day_start_hour: dayStartHour });

/**
 * Writes the row of an action in the transaction of its effects. A plain insert is cheaper, and fails if the row
 * exists; then the command is retried as a repeat.
 */
export function writeAction(context: HandlerContext, call: Call, end: ActionEnd): void {
  const { outcome, message = null, replayed, resource = noResource, images, calls = 1 } = end;
  const { durationMs = context.nowMs - call.startedAt, isRepeat = context.isRepeat } = end;
  const key = { request_id: call.requestId, called_at: calledAt(context, call) };
  context.actions[isRepeat ? "upsert" : "insert"]({
    ...key,
    door: call.door ?? "mcp",
    token_id: call.tokenId,
    client_name: call.clientName,
    tool: call.tool,
    arguments: call.arguments,
    outcome,
    message,
    ...resource,
    others: images ? othersIn(images, resource) : null,
    ...(images ? keptImages(context, key, images) : noImages),
    undone_by: null,
    replayed,
    calls,
    duration_ms: Math.max(0, durationMs),
  });
}

/** An import can make more things than a row should name; each of those tells itself who made it. */
const mostOthers = 1_000;

function othersIn(images: BeforeAndAfter, resource: NamedResource): string[] | null {
  const things = thingsIn(images);
  things.delete(`${resource.resource_kind}/${resource.resource_id}`);
  return things.size === 0 ? null : [...things].slice(0, mostOthers);
}

/** The logged time of an action. Operations of one request keep their order. */
function calledAt(context: HandlerContext, { startedAt, index = 0 }: Call): string {
  const time = trustedTime(startedAt, context);
  return time === context.now || index === 0 ? time : time.replace("Z", `${String(index).padStart(3, "0")}Z`);
}

/**
 * @returns the columns of the images; long images are also written whole beside the row, with each repeated text
 * once
 */
function keptImages(
  { images, isRepeat, noteLong }: HandlerContext,
  key: Pick<ActionRow, "request_id" | "called_at">,
  { before, after }: BeforeAndAfter,
) {
  const whole = { before: JSON.stringify(before), after: JSON.stringify(after) };
  if (whole.before === empty && whole.after === empty) return noImages;
  const kept = { before: cutImages(before, whole.before), after: cutImages(after, whole.after) };
  if (kept.before === whole.before && kept.after === whole.after) return kept;
  const shared = { before: shareTexts(before, whole.before), after: shareTexts(after, whole.after) };
  images[isRepeat ? "upsert" : "insert"]({ ...key, ...shared });
  noteLong(shared.before.length + shared.after.length);
  return kept;
}

const noResource = { resource_kind: null, resource_id: null, resource_name: null };
const noImages = { before: null, after: null };
const empty = JSON.stringify({});

/** The resource that the input names, else the new one; undefined if there are none or several. */
function resourceOf(
  context: HandlerContext,
  command: CommandName,
  input: unknown,
  changes: readonly RowChange[],
): NamedResource | undefined {
  const { todo_id, habit_id, category_id }: NamedIds = Object.assign({}, input);
  const named = (kind: ResourceKind, id: number, row: object | undefined): NamedResource => ({
    resource_kind: kind,
    resource_id: id,
    resource_name: nameOf(row ?? removedRow(changes, kind, id)),
  });
  if (todo_id !== undefined) return named("todo", todo_id, context.todos.get(todo_id));
  if (habit_id !== undefined) return named("habit", habit_id, context.habits.get(habit_id));
  const [made, ...others] = madeBy(command, changes);
  const kind = made && kindOfTable(made.table);
  if (kind) return others.length > 0 ? undefined : named(kind, Number(made.key[0]), made.after);
  return category_id == null
    ? undefined
    : named("category", category_id, context.categories.get(category_id));
}

/** A todo can come with a new category; the command is still about the todo. */
function madeBy(command: CommandName, changes: readonly RowChange[]): readonly RowChange[] {
  const made = changes.filter(({ table, before }) => !before && kindOfTable(table));
  const own = made.filter(({ table }) => command.startsWith(`${kindOfTable(table)}.`));
  return own.length > 0 ? own : made;
}

/** The kind is compared, because a reminder and completions have rows with the same id. */
const removedRow = (changes: readonly RowChange[], kind: ResourceKind, id: number): object | undefined =>
  changes.find(({ table, key }) => kindOfTable(table) === kind && key[0] === String(id))?.before;

type NamedIds = Readonly<Partial<Record<"todo_id" | "habit_id", number> & { category_id: number | null }>>;

export function nameOf(row: object | null | undefined): string | null {
  const { title, name = title }: { title?: unknown; name?: unknown } = row ?? {};
  return typeof name === "string" ? name : null;
}

/** The row's key is the call's own id, so that a redelivered command writes nothing twice. */
export const actionRecord: Handler<"action.record"> = {
  idempotent: true,
  run(context, { call, outcome, message }) {
    writeAction(context, call, { outcome, message, replayed: false });
    return null;
  },
};

/** Several front doors add to one row; the inbox ensures that each number is added once. */
export const actionCount: Handler<"action.count"> = {
  run(context, { call, calls }) {
    const before = context.actions.get(calledAt(context, call), call.requestId)?.calls ?? 0;
    const end = {
      outcome: "rate_limited",
      replayed: false,
      calls: before + calls,
      durationMs: 0,
      isRepeat: true,
    };
    writeAction(context, call, end);
    return null;
  },
};
