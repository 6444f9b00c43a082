import type { CommandName } from "../../shared/contracts/catalogue.ts";
import type { PreviewedChange } from "../../shared/contracts/kernel/preview.ts";
import type { Today } from "../../shared/domain/day/day.ts";
import type { Preconditions } from "../../shared/domain/preconditions.ts";
import { isRefused, unavailable } from "../../shared/errors.ts";
import { type Call, isToolCall, type Outcome, type QueuedCommand } from "../../shared/queue/batch.ts";
import { fingerprintOf, keyedId } from "../../shared/queue/command-id.ts";
import { replayStored } from "../../shared/queue/stored-reply.ts";
import type { Actor } from "./actor.ts";
import type { Mailbox } from "./mailbox.ts";
import type { ServerClock } from "./server-clock.ts";
import { dateNowBy, findStoredReplies, type Inbox } from "./stored-replies.ts";

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

export type CommandResult = Readonly<{
  outcome: Outcome;
  replayed: boolean;
  /** The user's day, where a worker answered a tool call. */
  today?: Today | undefined;
  /** Set for a preview that was not refused. */
  changes?: readonly PreviewedChange[] | undefined;
  /** The words that a tool call replaced, by field. */
  former?: Readonly<Record<string, string>> | undefined;
}>;

/** Sends a mutation to the workers. Answers when its outcome is committed, or with a 503 that says whether it may be. */
export type Dispatch = (actor: Pick<Actor, "userId">, request: CommandRequest) => Promise<CommandResult>;

/** @param now dates commands and so decides the user's day; PostgreSQL's clock decides whether a command is late */
export function createDispatch(
  mailbox: Mailbox,
  inbox: Inbox,
  clock: ServerClock,
  now: () => number = clock.now,
): Dispatch {
  return async ({ userId }, { name, input, idempotencyKey, by, preconditions, preview = false }) => {
    if (!clock.known()) return { outcome: unavailable("no"), replayed: false };
    const keyed = idempotencyKey !== undefined;
    const times = { acceptedAt: now(), sentAt: clock.now() };
    const id = keyed ? keyedId(userId, idempotencyKey) : Bun.randomUUIDv7("hex", Math.floor(times.sentAt));
    const fingerprint = keyed ? fingerprintOf(name, input) : null;
    const call = by && callOf(by, name, times.acceptedAt);
    const command = {
      ...{ id, userId, name, input, fingerprint, ...times },
      ...(call && { call }),
      ...(preconditions && { preconditions }),
      ...(preview && ({ preview } as const)),
    };
    const result = await mailbox.send(command);
    const isLost = result === "unanswered";
    if (result === "undelivered" || (isLost && preview))
      return { outcome: unavailable("no"), replayed: false };
    if (isLost)
      return (await committed(inbox, command)) ?? { outcome: unavailable("unknown"), replayed: false };
    return preview ? { ...result, outcome: surelyUnapplied(result.outcome) } : result;
  };
}

/** A preview changes nothing, so an outage leaves no doubt about it. */
export const surelyUnapplied = (outcome: Outcome): Outcome =>
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
