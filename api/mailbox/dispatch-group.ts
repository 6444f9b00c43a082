import { isRefused, type Refused, unavailable } from "../../shared/errors.ts";
import type { Outcome, QueuedCommand } from "../../shared/queue/batch.ts";
import { fingerprintOf, indexedId, keyedId } from "../../shared/queue/command-id.ts";
import { groupCommand, type QueuedGroup, type QueuedOperation, resolved } from "../../shared/queue/group.ts";
import { answeredId, failedDependency, type OperationEnd, readEnds } from "../../shared/queue/group-end.ts";
import { replayStored } from "../../shared/queue/stored-reply.ts";
import type { Actor } from "./actor.ts";
import { callOf, type Sender, surelyUnapplied } from "./dispatch.ts";
import type { Mailbox } from "./mailbox.ts";
import type { ServerClock } from "./server-clock.ts";
import { dateNowBy, findStoredReplies, type Inbox, type StoredReplies } from "./stored-replies.ts";

/** One change of a group, validated. */
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
  return async ({ userId }, { atomic, operations, idempotencyKey, by, preview }) => {
    if (!clock.known()) return unavailable("no");
    const times = { acceptedAt: now(), sentAt: clock.now() };
    const newId = () => Bun.randomUUIDv7("hex", Math.floor(times.sentAt));
    const queued = operations.map((one) => queuedOperation(one, { userId, newId, key: idempotencyKey }));
    const group = { atomic, operations: queued };
    const command = {
      id: newId(),
      userId,
      name: groupCommand,
      input: {},
      fingerprint: null,
      ...times,
      group,
      ...(preview && ({ preview } as const)),
      ...(by && { call: callOf(by, groupCommand, times.acceptedAt) }),
    };
    const result = await mailbox.send(command);
    if (result === "undelivered") return unavailable("no");
    if (result === "unanswered") return preview ? unavailable("no") : committedEnds(inbox, command, group);
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
  { atomic, operations }: QueuedGroup,
): Promise<readonly OperationEnd[] | Refused> {
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
