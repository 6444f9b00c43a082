import { keptOfRefused } from "../../../shared/domain/action/cut-arguments.ts";
import type { Today } from "../../../shared/domain/day/day.ts";
import { isRefused, type Refused } from "../../../shared/errors.ts";
import type { Call } from "../../../shared/queue/batch.ts";
import { keyedId } from "../../../shared/queue/command-id.ts";
import { keptWaiting } from "../../http/request.ts";
import type { Actor } from "../../mailbox/actor.ts";
import type { PerformContext } from "../../perform.ts";
import { readDaySettings } from "../../queries/engine/context.ts";
import { type ReceivedCall, recordOf, unlogged } from "./log-call.ts";

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

export type OverLimit = Readonly<{
  /** Counts a call. It resolves when its minute's row is stored or cannot be stored, later with each call. */
  count(call: ReceivedCall): Promise<Readonly<{ refused: Refused | undefined; today: Today | undefined }>>;
  /** Adds the calls that the row does not have yet. */
  stop(): Promise<void>;
}>;

/**
 * Counts refused calls almost for free, because a costly limit would protect nobody. The first call of a minute
 * waits for its row, and the others are added a few seconds later. All front doors add to the same row.
 */
export function createOverLimit({ dispatch, query }: PerformContext, now: () => number): OverLimit {
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
    const today = readDaySettings(query(actor)).then(
      (clock) => clock.today,
      () => undefined,
    );
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
    async count(call) {
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
    async stop() {
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
