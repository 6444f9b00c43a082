import { cutArguments, keptOfRefused, keptOfRun } from "../../../shared/domain/action/cut-arguments.ts";
import type { Today } from "../../../shared/domain/day/day.ts";
import { isRefused, type Refusal, type Refused, refuse } from "../../../shared/errors.ts";
import type { Call } from "../../../shared/queue/batch.ts";
import { keyedId } from "../../../shared/queue/command-id.ts";
import { keptWaiting } from "../../http/request.ts";
import type { Actor } from "../../mailbox/actor.ts";
import type { PerformContext } from "../../perform.ts";
import { isLogged } from "../../queries/action/read.ts";
import { readToday } from "../../queries/engine/context.ts";
import type { Asked } from "./target.ts";

export type ReceivedCall = Asked &
  Readonly<{ request: Request; actor: Actor; record: Omit<Call, "arguments"> }>;

/** The fields of a call's row. Long arguments are cut here, before they travel to a worker. */
export function recordOf({ record, args }: ReceivedCall, maxArguments: number): Call {
  return { ...record, arguments: cutArguments(args, maxArguments) };
}

/** The refusal of a call whose row cannot be written. */
const unlogged = refuse("overloaded", "The service is briefly unable to log this call.", {
  applied: "no",
  retryAfterSeconds: 1,
});

type KnownDay = Readonly<{ today?: Today | undefined }>;

/**
 * Lets a worker write the row of a call that changes nothing: a read or a refusal.
 * @returns the refusal when the row could not be written; then the call must not be answered
 */
export async function logCall(
  context: PerformContext,
  call: ReceivedCall,
  refusal?: Refusal,
): Promise<Refused | KnownDay> {
  const record = recordOf(call, refusal ? keptOfRefused : keptOfRun);
  const input = { call: record, outcome: refusal?.code ?? "ok", message: refusal?.message };
  const logged = await context.dispatch(call.actor, { name: "action.record", input });
  if (!isRefused(logged.outcome)) return { today: logged.today };
  const mayStand = logged.outcome.refusal.applied === "unknown";
  const { query } = context;
  return mayStand && (await isLogged(query(call.actor), call.record)) ? {} : unlogged;
}

const minuteMs = 60_000;
const writeEveryMs = 5_000;
/** The delay that each further refusal in a minute adds, to slow down callers that do not wait. */
const slowerByMs = 10;
const slowestMs = 3_000;

/** The calls of one token over its rate limit in one minute: one row of the log in all. */
type Minute = {
  actor: Actor;
  row: Call;
  today: Promise<Today | undefined>;
  /** The reason why the first call's row could not be written; undefined when it is stored. */
  first: Promise<Refused | undefined>;
  /** The calls counted here so far, and those that the row does not have yet. */
  total: number;
  more: number;
};

export type OverLimit = ReturnType<typeof createOverLimit>;

/**
 * Counts refused calls almost for free, because a costly limit would protect nobody. The first call of a minute
 * waits for its row, and the others are added a few seconds later. All front doors add to the same row.
 */
export function createOverLimit({ dispatch, query }: PerformContext, now: () => number) {
  const minutes = new Map<string, Minute>();

  async function write(
    { actor, row }: Pick<Minute, "actor" | "row">,
    calls: number,
  ): Promise<Refused | undefined> {
    const { outcome } = await dispatch(actor, { name: "action.count", input: { call: row, calls } });
    return isRefused(outcome) ? unlogged : undefined;
  }

  function open(call: ReceivedCall): Minute {
    const { actor } = call;
    const row = rowOf(call);
    const today = readToday(query(actor));
    return { actor, row, today, first: write({ actor, row }, 1), total: 0, more: 0 };
  }

  async function writeMore(): Promise<void> {
    const writing = [...minutes].map(async ([key, minute]) => {
      const calls = minute.more;
      if (calls > 0) {
        minute.more = 0;
        if (await write(minute, calls)) minute.more += calls;
      } else if (minute.row.startedAt + minuteMs < now()) minutes.delete(key);
    });
    await Promise.all(writing);
  }

  const timer = setInterval(() => void writeMore(), writeEveryMs);
  return {
    /** Counts a call. It resolves when its minute's row is stored or cannot be stored, later with each call. */
    async count(call: ReceivedCall) {
      const { actor, record } = call;
      const key = JSON.stringify([actor.userId, actor.tokenId, minuteOf(record)]);
      const known = minutes.get(key);
      const minute = known ?? open(call);
      minutes.set(key, minute);
      const refused = await minute.first;
      if (refused) minutes.delete(key);
      else if (known) minute.more += 1;
      minute.total += 1;
      keptWaiting(call.request);
      await Bun.sleep(Math.min(minute.total * slowerByMs, slowestMs));
      return { refused, today: await minute.today };
    },
    /** Adds the calls that the row does not have yet. */
    async stop(): Promise<void> {
      clearInterval(timer);
      await writeMore();
    },
  };
}

const minuteOf = ({ startedAt }: ReceivedCall["record"]): number =>
  Math.floor(startedAt / minuteMs) * minuteMs;

/** The row of the call's minute; its id is the same at every front door. */
function rowOf(call: ReceivedCall): Call {
  const { actor, record } = call;
  const startedAt = minuteOf(record);
  const requestId = keyedId(actor.userId, JSON.stringify([actor.tokenId, startedAt]));
  return { ...recordOf(call, keptOfRefused), startedAt, requestId };
}
