import { type CommandName, commands } from "../../../shared/contracts/catalogue.ts";
import {
  cutArguments,
  cutStored,
  keptOfRefused,
  keptOfRun,
} from "../../../shared/domain/action/cut-arguments.ts";
import {
  type BeforeAndAfter,
  imagesOf,
  kindOfTable,
  type RowChange,
} from "../../../shared/domain/action/images.ts";
import { shareTexts } from "../../../shared/domain/action/shared-texts.ts";
import { cutImages } from "../../../shared/domain/action/stored-images.ts";
import type { ResourceKind } from "../../../shared/domain/vocabulary.ts";
import { isRefused } from "../../../shared/errors.ts";
import { type Call, isToolCall, type QueuedCommand, type Reply } from "../../../shared/queue/batch.ts";
import { trustedTime } from "../../unit-of-work/batch-times.ts";
import type { HandlerContext } from "../handler.ts";

/** The resource of an action, with its name at that moment. */
type NamedResource = Readonly<{ kind: ResourceKind; id: number; name: string | null }>;

/** How an action ended: `ok`, or the code of the refusal with its sentence. */
type ActionEnd = Readonly<{
  outcome: string;
  message?: string | undefined;
  replayed: boolean;
  resource?: NamedResource | undefined;
  images?: BeforeAndAfter | undefined;
  calls?: number;
  durationMs?: number;
  mayBeLogged?: boolean;
}>;

/**
 * Logs what a command did, in its own transaction. An agent's call has a row whatever comes of it; over REST a repeat
 * does nothing and has none, and what a person did on a page has one if it changed something that agents can change, too.
 */
export function logAction(
  context: HandlerContext,
  { name, call, input }: QueuedCommand,
  { outcome, replayed }: Reply,
): void {
  if (!call || (replayed && !isToolCall(call))) return;
  const changes = context.takeChanges();
  if (call.door === "page" && (changes.length === 0 || isOfPagesAlone(name))) return;
  const resource = resourceOf(context, input, changes);
  if (isRefused(outcome)) {
    const { code, message } = outcome.refusal;
    const sent = isToolCall(call) ? call.arguments : cutArguments({ ...(input as object) }, keptOfRefused);
    writeAction(context, { ...call, arguments: sent }, { outcome: code, message, replayed, resource });
  } else {
    const images = changedImages(context, changes);
    writeAction(context, call, { outcome: "ok", replayed, resource, images });
  }
}

/** A setting that moves reminders is no change of theirs: taking it back would leave them in a zone that is not the user's. */
const isOfPagesAlone = (name: CommandName): boolean => commands[name].scopes.length === 0;

export const changedImages = ({ today, dayStartHour }: HandlerContext, changes: readonly RowChange[]) =>
  imagesOf(changes, { time_zone: today.timeZone, day_start_hour: dayStartHour });

/**
 * Writes the row of an action in the transaction of its effects. A plain insert is cheaper and refused if the row stands;
 * then the command is tried again as a repeat.
 */
export function writeAction(context: HandlerContext, call: Call, end: ActionEnd): void {
  const { actions, nowMs } = context;
  const { outcome, message = null, replayed, resource, calls = 1 } = end;
  const { durationMs = Math.max(0, nowMs - call.startedAt), mayBeLogged = context.mayBeLogged } = end;
  const write = mayBeLogged ? actions.upsert : actions.insert;
  const called_at = calledAt(context, call);
  write({
    request_id: call.requestId,
    door: call.door ?? "mcp",
    token_id: call.tokenId,
    client_name: call.clientName,
    tool: call.tool,
    arguments: cutStored(call.arguments, outcome === "ok" ? keptOfRun : keptOfRefused),
    outcome,
    message,
    resource_kind: resource?.kind ?? null,
    resource_id: resource?.id ?? null,
    resource_name: resource?.name ?? null,
    ...(end.images ? keptImages(context, { request_id: call.requestId, called_at }, end.images) : noImages),
    undone_by: null,
    replayed,
    calls,
    called_at,
    duration_ms: durationMs,
  });
}

/** The logged time of an action. The operations of one request keep their order. */
export function calledAt(context: HandlerContext, { startedAt, place = 0 }: Call): string {
  const time = trustedTime(startedAt, context);
  return time === context.now || place === 0 ? time : time.replace("Z", `${String(place).padStart(3, "0")}Z`);
}

/** @returns the columns of the images; longer images are written beside them, whole but for repeated texts */
function keptImages(
  { images, mayBeLogged }: HandlerContext,
  place: Readonly<{ request_id: string; called_at: string }>,
  changed: BeforeAndAfter,
) {
  if (isEmpty(changed.before) && isEmpty(changed.after)) return noImages;
  const [before, after] = [JSON.stringify(changed.before), JSON.stringify(changed.after)];
  const kept = { before: cutImages(changed.before, before), after: cutImages(changed.after, after) };
  if (kept.before !== before || kept.after !== after) {
    const write = mayBeLogged ? images.upsert : images.insert;
    write({
      ...place,
      before: shareTexts(changed.before, before),
      after: shareTexts(changed.after, after),
    });
  }
  return kept;
}

const noImages = { before: null, after: null };

const isEmpty = (object: object): boolean => Object.keys(object).length === 0;

/** The resource that the input names, else the one that was made; undefined where there are none or several. */
function resourceOf(
  { categories, habits, todos }: Pick<HandlerContext, "categories" | "habits" | "todos">,
  input: unknown,
  changes: readonly RowChange[],
): NamedResource | undefined {
  const { todo_id, habit_id, category_id } = idsIn(input);
  const named = (kind: ResourceKind, id: number, row: object | undefined): NamedResource => {
    const name = nameOf(row ?? removedRow(changes, kind, id));
    return { kind, id, name };
  };
  if (todo_id !== undefined) return named("todo", todo_id, todos.get(todo_id));
  if (habit_id !== undefined) return named("habit", habit_id, habits.get(habit_id));
  const made = changes.filter(({ table, before }) => kindOfTable(table) && !before);
  const [one] = made;
  const kind = one && kindOfTable(one.table);
  if (made.length === 1 && kind) return named(kind, Number(one.key[0]), one.after);
  if (category_id != null && made.length === 0)
    return named("category", category_id, categories.get(category_id));
  return undefined;
}

/** The kind tells it from its reminder or completions, whose rows have the same id. */
const removedRow = (changes: readonly RowChange[], kind: ResourceKind, id: number): object | undefined =>
  changes.find(({ table, key }) => kindOfTable(table) === kind && key[0] === String(id))?.before;

type NamedIds = Readonly<Partial<Record<"todo_id" | "habit_id", number> & { category_id: number | null }>>;

function idsIn(input: unknown): NamedIds {
  return typeof input === "object" && input !== null ? input : {};
}

function nameOf(row: object | undefined): string | null {
  const { title, name = title }: { title?: unknown; name?: unknown } = row ?? {};
  return typeof name === "string" ? name : null;
}
