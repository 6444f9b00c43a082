import type { Pool } from "pg";
import { commands as contracts } from "../../shared/contracts/catalogue.ts";
import type { Config } from "../../shared/process/config.ts";
import { openSigner, patienceMs, type QueuedCommand, type Reply } from "../../shared/queue/batch.ts";
import { type BatchSender, type BatchSenderEvents, createWaiters, openBatchSender } from "./batch-sender.ts";

/** `undelivered`: no worker will run it. `unanswered`: a worker may have run it, or may yet. */
type SendResult = Omit<Reply, "ticket"> | "undelivered" | "unanswered";

export type Mailbox = Readonly<{
  send(command: Omit<QueuedCommand, "ticket">): Promise<SendResult>;
  /** True if a worker answers, or has answered before and is only too busy. */
  ping(): Promise<boolean>;
  /** The commands that wait here for the next batch. */
  waiting(): number;
  close(): Promise<void>;
}>;

/** The most waiting commands, in all and of one user: only four users who flood at once can fill the mailbox. */
const maxWaiting = 2_000;
const maxWaitingOfUser = 500;
/**
 * A command that would wait longer is refused at once. This is half of a caller's wait, so accepted commands are
 * answered in time although the estimate is rough.
 */
const maxWaitMs = patienceMs / 2;

type SayLost = (command: Omit<QueuedCommand, "ticket">, result: "undelivered" | "unanswered") => void;

type MailboxConfig = Pick<Config, "redisUrl" | "queuePrefix">;

export async function openMailbox(
  config: MailboxConfig,
  pool: Pick<Pool, "query">,
  sayLost?: SayLost,
): Promise<Mailbox> {
  const signer = await openSigner(pool);
  return createMailbox((events) => openBatchSender({ ...config, signer }, events), sayLost);
}

/** Keeps commands until they leave, and their callers waiting until they are answered. */
export async function createMailbox(
  openSender: (events: BatchSenderEvents) => Promise<BatchSender>,
  sayLost?: SayLost,
): Promise<Mailbox> {
  const callers = createWaiters<number, SendResult>(patienceMs);
  const pending = createPendingCommands();
  // No other front door has these numbers, so nobody can send it a worker's reply to this one.
  let lastTicket = Math.floor(Math.random() * 2 ** 52);

  const settleAll = (commands: readonly QueuedCommand[], result: SendResult) => {
    for (const { ticket } of commands) callers.settle(ticket, result);
  };
  const sender = await openSender({
    onReply(reply) {
      callers.settle(reply.ticket, reply);
    },
    onLost: settleAll,
    onAway: () => settleAll(pending.withdrawAll(), "undelivered"),
  });
  const loop = createSendLoop(pending, sender.send);

  function isFullFor(userId: string): boolean {
    if (pending.size() >= maxWaiting || pending.sizeOf(userId) >= maxWaitingOfUser) return true;
    const batchesAhead = Math.floor(pending.ahead(userId) / maxBatch);
    return batchesAhead > 0 && loop.answerInMs(batchesAhead) > maxWaitMs;
  }

  async function sendAndWait(command: Omit<QueuedCommand, "ticket">): Promise<SendResult> {
    if (!sender.isOpen() || isFullFor(command.userId)) return "undelivered";
    const queued = { ...command, ticket: ++lastTicket };
    const late = () => (pending.withdraw(queued) ? "undelivered" : "unanswered");
    const answer = callers.wait(queued.ticket, late);
    pending.put(queued);
    loop.added();
    const result = await answer;
    if (pending.ended(queued)) loop.start();
    return result;
  }

  return {
    async send(command) {
      const result = await sendAndWait(command);
      if (typeof result === "string") sayLost?.(command, result);
      return result;
    },
    ping: sender.ping,
    waiting: pending.size,
    close: () => sender.close(),
  };
}

/**
 * Milliseconds that the next batch waits for callers just answered, so that they share it: half the time of the last
 * one, because callers on a slow machine need longer too. Without this wait the first caller would leave alone.
 */
const gatherMs = (tookMs: number): number => Math.min(10, Math.max(2, tookMs / 2));
/** A batch unanswered for this long no longer keeps the next from leaving: its worker may be frozen or dead. */
const slowMs = 100;
/** Additional batches: beside slow ones, and while more than a full batch waits. */
const maxBesideSlow = 3;
const maxWhileFull = 3;
/** About the last five batches count, so one slow batch is soon forgotten. */
const weight = 0.2;

/**
 * Decides when batches leave. A batch takes all waiting commands at once, and the next one leaves when it is answered:
 * a lone command travels alone, and under load many share one job, one transaction and one fsync.
 */
function createSendLoop(pending: PendingCommands, send: BatchSender["send"]) {
  /** Batches under way that keep the next of their kind waiting, and all unanswered batches. */
  const leaving = { short: 0, long: 0 };
  let underWay = 0;
  const gatherings = new Set<{ count: number; end(): void }>();
  let [answerMs, followMs] = [0, 0];

  const maxLeaving = () => 1 + Math.min(maxWhileFull, Math.floor(pending.size() / maxBatch));

  function sendAll(kind: LineKind): void {
    while (leaving[kind] < maxLeaving() && underWay < 2 * maxLeaving() + maxBesideSlow) {
      const commands = pending.take(maxBatch, kind);
      if (commands.length === 0) return;
      void sendOne(kind, commands);
    }
  }

  /** Goes on when a line may leave. Long lines come first, so a line that has just become short is not missed. */
  function start(): void {
    sendAll("long");
    sendAll("short");
  }

  async function sendOne(kind: LineKind, commands: readonly QueuedCommand[]): Promise<void> {
    const began = performance.now();
    const tookMs = () => performance.now() - began;
    leaving[kind] += 1;
    underWay += 1;
    const answered = send(commands).then(() => {
      underWay -= 1;
      answerMs += weight * (tookMs() - answerMs);
      start();
    });
    await Promise.race([answered, Bun.sleep(slowMs)]);
    if (commands.length > 1)
      await gathered(Math.min(commands.length + pending.size(), maxBatch), gatherMs(tookMs()));
    followMs += weight * (tookMs() / leaving[kind] - followMs);
    leaving[kind] -= 1;
    start();
  }

  /** Resolves when `count` commands wait, at the latest after `ms`. */
  async function gathered(count: number, ms: number): Promise<void> {
    const { promise, resolve: end } = Promise.withResolvers<void>();
    const gathering = { count, end };
    const timer = setTimeout(end, ms);
    gatherings.add(gathering);
    endGatherings();
    await promise;
    clearTimeout(timer);
    gatherings.delete(gathering);
  }

  function endGatherings(): void {
    for (const { count, end } of gatherings) if (pending.size() >= count) end();
  }

  return {
    /**
     * Hears of a command that was put in. A line becomes long only while a batch of it is out, and the end of that batch
     * starts it, so long lines need no check here.
     */
    added() {
      endGatherings();
      sendAll("short");
    },
    start,
    /** Milliseconds that a new command would wait behind so many full batches. */
    answerInMs: (batchesAhead: number) => batchesAhead * followMs + answerMs,
  };
}

/**
 * While several users send, a line of more than a share is long. Long lines travel in batches of their own, so that
 * nobody waits for the many commands of somebody else.
 */
export type LineKind = "short" | "long";

const maxBatch = 100;
/**
 * The commands of one user in a batch shared with others. It bounds how long one user's costly commands keep a worker.
 */
const shareBesideOthers = 8;
/** A user counts as alone, and may fill batches, this long after the last command of anybody else. */
const aloneAfterMs = 150;

/** The commands of one user in their order, and those that have left and are not answered. */
type Line = Readonly<{ userId: string; waiting: QueuedCommand[]; out: Set<QueuedCommand> }>;

/** @returns whether one more command may join a batch that has `round` commands of this line */
function takeNext({ waiting, out }: Line, taken: QueuedCommand[], round: number): boolean {
  const [next] = waiting;
  if (!next) return false;
  // A command that can take long travels as the only one of its user.
  const { apart = false } = contracts[next.name];
  if (apart && round > 0) return false;
  waiting.shift();
  out.add(next);
  taken.push(next);
  return !apart;
}

type PendingCommands = Readonly<ReturnType<typeof createPendingCommands>>;

/**
 * Commands that wait for a batch, in a line for each user. Users take turns. A line stands still until everything that
 * has left it is answered, which keeps each user's commands in order.
 */
export function createPendingCommands() {
  const lines = new Map<string, Line>();
  /** Lines with commands of which none is out. They take turns: the one that left longest ago comes first. */
  const ready = new Set<Line>();
  let size = 0;
  let lastUser: string | undefined;
  let othersAt = Number.NEGATIVE_INFINITY;
  const sizeOf = (userId: string): number => lines.get(userId)?.waiting.length ?? 0;

  /**
   * Call this when commands of a line came, left or ended. A line that is ready already keeps its place.
   * @returns whether the line is ready
   */
  function update(line: Line): boolean {
    const isReady = line.waiting.length > 0 && line.out.size === 0;
    if (isReady) ready.add(line);
    else ready.delete(line);
    if (line.waiting.length === 0 && line.out.size === 0) lines.delete(line.userId);
    return isReady;
  }

  return {
    size: () => size,
    sizeOf,
    /** The number of commands that may leave before this user's next one. */
    ahead: (userId: string) => Math.min(size, (sizeOf(userId) + 1) * lines.size),
    put(command: QueuedCommand): void {
      const { userId } = command;
      if (lastUser !== undefined && lastUser !== userId) othersAt = performance.now();
      lastUser = userId;
      const line = lines.get(userId) ?? { userId, waiting: [], out: new Set() };
      lines.set(userId, line);
      line.waiting.push(command);
      size += 1;
      update(line);
    },
    /** Takes up to `count` commands from lines of one kind: first one of each user, then a second one, up to a share. */
    take(count: number, kind: LineKind): QueuedCommand[] {
      const taken: QueuedCommand[] = [];
      const isAlone = performance.now() - othersAt >= aloneAfterMs;
      const share = isAlone ? Number.POSITIVE_INFINITY : shareBesideOthers;
      const chosen = [...ready].filter(({ waiting }) => waiting.length > share === (kind === "long"));
      let leaving = chosen;
      for (let round = 0; round < share && leaving.length > 0; round++)
        leaving = leaving.filter((line) => taken.length < count && takeNext(line, taken, round));
      size -= taken.length;
      chosen.forEach(update);
      return taken;
    },
    /** @returns false when it has left already */
    withdraw(command: QueuedCommand): boolean {
      const line = lines.get(command.userId);
      const index = line?.waiting.indexOf(command) ?? -1;
      if (!line || index === -1) return false;
      line.waiting.splice(index, 1);
      size -= 1;
      update(line);
      return true;
    },
    withdrawAll(): QueuedCommand[] {
      const all = [...lines.values()].flatMap(({ waiting }) => waiting.splice(0));
      size = 0;
      [...lines.values()].forEach(update);
      return all;
    },
    /**
     * Ends a command that is answered or given up.
     * @returns whether other commands of its user may now leave
     */
    ended(command: QueuedCommand): boolean {
      const line = lines.get(command.userId);
      return line?.out.delete(command) ? update(line) : false;
    },
  };
}
