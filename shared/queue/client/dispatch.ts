import type { Actor } from "../../actor.ts";
import type { CommandName } from "../../contracts/catalogue.ts";
import type { ServerClock } from "../../db/server-clock.ts";
import type { Preconditions } from "../../domain/preconditions.ts";
import { printable } from "../../domain/printable.ts";
import type { Today } from "../../domain/today.ts";
import type { Door } from "../../domain/vocabulary.ts";
import { keyTaken, unavailable } from "../../errors.ts";
import { type Call, isToolCall, type Outcome, type QueuedCommand } from "../batch.ts";
import { fingerprintOf, keyedId } from "../command-id.ts";
import type { Mailbox } from "./mailbox.ts";
import { findStoredReplies, type Inbox } from "./stored-replies.ts";

/** Who sends a command by REST or from a page, for the action log. */
export type Sender = Readonly<{ door: Door; tokenId: string; clientName: string | null }>;

type CommandRequest = Readonly<{
  name: CommandName;
  /** Validated against the command's contract. */
  input: unknown;
  idempotencyKey?: string | undefined;
  /** The tool call that it came by. */
  call?: Call;
  by?: Sender | undefined;
  preconditions?: Preconditions | undefined;
}>;

export type CommandResult = Readonly<{
  outcome: Outcome;
  replayed: boolean;
  /** The user's day, where a worker answered a tool call. */
  today?: Today | undefined;
}>;

/** Sends a mutation to the workers. Answers when its outcome is committed, or with a 503 that says whether it may be. */
export type Dispatch = (actor: Pick<Actor, "userId">, request: CommandRequest) => Promise<CommandResult>;

/** @param now dates the commands and so decides the user's day; whether a command is late is decided by `clock` */
export function createDispatch(
  mailbox: Mailbox,
  inbox: Inbox,
  clock: ServerClock,
  now: () => number = clock.now,
): Dispatch {
  return async ({ userId }, { name, input, idempotencyKey, by, preconditions, ...request }) => {
    if (!clock.known()) return { outcome: unavailable("no"), replayed: false };
    const keyed = idempotencyKey !== undefined;
    const times = { acceptedAt: now(), sentAt: clock.now() };
    const id = keyed ? keyedId(userId, idempotencyKey) : Bun.randomUUIDv7("hex", Math.floor(times.sentAt));
    const fingerprint = keyed ? fingerprintOf(name, input) : null;
    const call = request.call ?? (by && callOf(by, name, times.acceptedAt));
    const command = {
      ...{ id, userId, name, input, fingerprint, ...times },
      ...(call && { call }),
      ...(preconditions && { preconditions }),
    };
    const result = await mailbox.send(command);
    if (result === "undelivered") return { outcome: unavailable("no"), replayed: false };
    if (result !== "unanswered") return result;
    return (await committed(inbox, command)) ?? { outcome: unavailable("unknown"), replayed: false };
  };
}

/** @param startedAt epoch ms */
export const callOf = (
  { door, tokenId, clientName }: Sender,
  tool: CommandName,
  startedAt: number,
): Call => ({
  requestId: Bun.randomUUIDv7(),
  door,
  tokenId,
  clientName: clientName === null ? null : printable(clientName),
  tool,
  arguments: "{}",
  startedAt,
});

/**
 * Looks up a reply that was lost on its way. For a tool call its own row decides, which also has whether it was a replay.
 * @returns undefined when nothing is committed, or the database does not answer in time
 */
async function committed(
  inbox: Inbox,
  command: Omit<QueuedCommand, "ticket">,
): Promise<CommandResult | undefined> {
  const { id, fingerprint } = command;
  const isFromTool = isToolCall(command.call);
  const stored = (await findStoredReplies(inbox, [id], command)).get(id);
  if (!stored || (isFromTool && stored.replayed === null)) return undefined;
  if (stored.fingerprint !== (fingerprint ?? "")) return { outcome: keyTaken(isFromTool), replayed: false };
  const outcome: Outcome = JSON.parse(stored.reply);
  return { outcome, replayed: stored.replayed ?? stored.before };
}
