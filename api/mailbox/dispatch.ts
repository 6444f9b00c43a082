import type { CommandName } from "../../shared/contracts/catalogue.ts";
import type { Preconditions } from "../../shared/domain/preconditions.ts";
import { isRefused, type Refused, unavailable } from "../../shared/errors.ts";
import {
  answeredId,
  type Call,
  failedDependency,
  isToolCall,
  type OperationEnd,
  type Outcome,
  type QueuedCommand,
  type Reply,
  readEnds,
} from "../../shared/queue/batch.ts";
import { fingerprintOf, indexedId, keyedId } from "../../shared/queue/command-id.ts";
import { groupCommand, type QueuedGroup, type QueuedOperation, resolved } from "../../shared/queue/group.ts";
import { replayStored } from "../../shared/queue/stored-reply.ts";
import type { Actor } from "./actor.ts";
import type { Mailbox } from "./mailbox.ts";
import type { ServerClock } from "./server-clock.ts";
import { dateNowBy, findStoredReplies, type Inbox, type StoredReplies } from "./stored-replies.ts";

/** The call that a command came by, for the action log. Only a tool call has a tool, a time and arguments of its own. */
export type Sender = Omit<Call, "tool" | "startedAt" | "arguments"> & Partial<Call>;

type CommandRequest = Readonly<{
  name: CommandName;
  /** Validated against the command's contract. */
  input: unknown;
  idempotencyKey?: string | undefined;
  by?: Sender | undefined;
  preconditions?: Preconditions | undefined;
  /** Answers what the command would answer and change, and changes nothing. */
  preview?: boolean | undefined;
}>;

/** The reply to a command; `changes` are those of a preview that was not refused. */
export type CommandResult = Omit<Reply, "ticket">;

/** Sends a mutation to the workers. Answers when its outcome is committed, or with a 503 that says whether it may be. */
export type Dispatch = (actor: Pick<Actor, "userId">, request: CommandRequest) => Promise<CommandResult>;

const refused = (outcome: Refused): CommandResult => ({ outcome, replayed: false });

/** Sends a command. The result is undefined if a worker may have run it, or may yet. */
const sendBy =
  (mailbox: Mailbox, clock: ServerClock, now: () => number) =>
  async (userId: string, request: CommandRequest, groupOf?: (newId: () => string) => QueuedGroup) => {
    const { name, input, idempotencyKey, by, preconditions, preview = false } = request;
    const times = { acceptedAt: now(), sentAt: clock.now() };
    const newId = () => Bun.randomUUIDv7("hex", Math.floor(times.sentAt));
    const keyed = idempotencyKey !== undefined;
    const command = {
      ...{ id: keyed ? keyedId(userId, idempotencyKey) : newId(), userId, name, input },
      ...{ fingerprint: keyed ? fingerprintOf(name, input) : null, ...times },
      ...(groupOf && { group: groupOf(newId) }),
      ...(by && { call: callOf(by, name, times.acceptedAt) }),
      ...(preconditions && { preconditions }),
      ...(preview && ({ preview } as const)),
    };
    const sent = clock.known() ? await mailbox.send(command) : "undelivered";
    if (typeof sent !== "string")
      return { command, result: preview ? { ...sent, outcome: surelyUnapplied(sent.outcome) } : sent };
    const isLost = sent === "unanswered" && !preview;
    return { command, result: isLost ? undefined : refused(unavailable("no")) };
  };

/** @param now dates commands and so decides the user's day; PostgreSQL's clock decides whether a command is late */
export function createDispatch(
  mailbox: Mailbox,
  inbox: Inbox,
  clock: ServerClock,
  now: () => number = clock.now,
): Dispatch {
  const send = sendBy(mailbox, clock, now);
  return async ({ userId }, request) => {
    const { command, result } = await send(userId, request);
    return result ?? (await committed(inbox, command)) ?? refused(unavailable("unknown"));
  };
}

/** A preview changes nothing, so an outage leaves no doubt about it. */
const surelyUnapplied = (outcome: Outcome): Outcome =>
  isRefused(outcome) && outcome.refusal.applied === "unknown" ? unavailable("no") : outcome;

/** @param startedAt epoch ms */
export function callOf(by: Sender, tool: CommandName, startedAt: number): Call {
  return { tool, startedAt, arguments: "{}", ...by };
}

/**
 * Looks up a reply that was lost on its way. A tool call's own log row decides, because it also tells whether the
 * call was a replay.
 * @returns undefined when nothing is committed, or the database does not answer in time
 */
async function committed(
  inbox: Inbox,
  command: Omit<QueuedCommand, "ticket">,
): Promise<CommandResult | undefined> {
  const { id, acceptedAt } = command;
  const stored = (await findStoredReplies(inbox, [id], command)).get(id);
  if (!stored || (isToolCall(command.call) && stored.replayed === null)) return undefined;
  const { outcome, isSame, ...facts } = replayStored(stored, command, dateNowBy(stored, acceptedAt));
  return { outcome, ...facts, replayed: isSame && (stored.replayed ?? stored.before) };
}

export type GroupedOperation = Pick<QueuedOperation, "index" | "name" | "input" | "references" | "after"> &
  Readonly<{ idempotencyKey?: string | undefined }>;

type GroupRequest = Readonly<{
  atomic: boolean;
  operations: readonly GroupedOperation[];
  by?: Sender | undefined;
  /** The idempotency key of the request, from which operations without a key get theirs. */
  idempotencyKey?: string | undefined;
  preview?: boolean | undefined;
}>;

/** Sends changes that belong together. Answers with the end of each, or with a refusal if no end is known. */
export type DispatchGroup = (
  actor: Pick<Actor, "userId">,
  request: GroupRequest,
) => Promise<readonly OperationEnd[] | Refused>;

/** @param now dates the operations, as in `createDispatch` */
export function createDispatchGroup(
  mailbox: Mailbox,
  inbox: Inbox,
  clock: ServerClock,
  now: () => number = clock.now,
): DispatchGroup {
  const send = sendBy(mailbox, clock, now);
  return async ({ userId }, { atomic, operations, idempotencyKey: key, by, preview }) => {
    const request = { name: groupCommand, input: {}, by, preview } as const;
    const { command, result } = await send(userId, request, (newId) => ({
      atomic,
      operations: operations.map((one) => queuedOperation(one, { userId, newId, key })),
    }));
    if (!result) return committedEnds(inbox, command);
    if (isRefused(result.outcome)) return result.outcome;
    const ends = readEnds(result.outcome.body) ?? unavailable("unknown");
    if (!preview || isRefused(ends)) return ends;
    return ends.map((end) => ({ ...end, outcome: surelyUnapplied(end.outcome) }));
  };
}

type Origin = Readonly<{ userId: string; newId(): string; key: string | undefined }>;

function queuedOperation(
  { idempotencyKey, ...operation }: GroupedOperation,
  { userId, newId, key }: Origin,
): QueuedOperation {
  const { index, name, input } = operation;
  const keyed = idempotencyKey ?? key;
  if (keyed === undefined) return { ...operation, id: newId(), fingerprint: null };
  const id = idempotencyKey === undefined ? indexedId(userId, keyed, index) : keyedId(userId, keyed);
  return { ...operation, id, fingerprint: fingerprintOf(name, input) };
}

/**
 * Looks up the replies of a group whose answer was lost on its way.
 * @returns a refusal when none is committed, or the database does not answer in time
 */
async function committedEnds(
  inbox: Inbox,
  command: Omit<QueuedCommand, "ticket">,
): Promise<readonly OperationEnd[] | Refused> {
  const { atomic = false, operations = [] } = command.group ?? {};
  const ids = operations.map(({ id }) => id);
  const stored = await findStoredReplies(inbox, ids, command);
  if (stored.size === 0) return unavailable("unknown");
  const ended = new Map<number, Outcome>();
  const ends = operations.map((operation) => {
    const end = endOf(operation, stored, ended, command.acceptedAt);
    ended.set(end.index, end.outcome);
    return end;
  });
  return atomic ? allOrNone(ends) : ends;
}

function endOf(
  operation: QueuedOperation,
  stored: StoredReplies,
  ended: ReadonlyMap<number, Outcome>,
  acceptedAt: number,
): OperationEnd {
  const { index, id } = operation;
  const row = stored.get(id);
  if (!row) return { index, outcome: unavailable("unknown"), replayed: false };
  const known = resolved(operation, (at) => answeredId(ended.get(at)));
  const { outcome, isSame } = replayStored(row, known, dateNowBy(row, acceptedAt));
  return { index, outcome, replayed: isSame && row.before };
}

/** A failed atomic group stores nothing but its failure. */
function allOrNone(ends: readonly OperationEnd[]): readonly OperationEnd[] | Refused {
  const failed = ends.find(({ outcome }) => isRefused(outcome) && outcome.refusal.code !== "overloaded");
  if (failed)
    return ends.map((end) =>
      end === failed ? end : { ...end, outcome: failedDependency(failed.index), replayed: false },
    );
  return ends.some(({ outcome }) => isRefused(outcome)) ? unavailable("unknown") : ends;
}
