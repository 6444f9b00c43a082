import type { WorkRow } from "../../shared/db/entities.ts";
import { createTurns } from "../../shared/process/turns.ts";
import type { WorkerContext } from "../process/context.ts";
import { startSchedule } from "../process/schedule.ts";
import type { Queryable } from "../unit-of-work/connection.ts";
import { takeTurn } from "../unit-of-work/locks.ts";
import { carryOutStep } from "./transaction/carry-out.ts";
import { failureOf } from "./transaction/failures.ts";
import { internalFault } from "./transaction/retries.ts";
import { type TransactionContext, transact } from "./transaction/transaction.ts";

/** Steps of different users run at the same time, each on a connection of its own. */
const stepsAtOnce = 2;
const everyMs = 1_000;
const lockTimeoutMs = 800;

type Options = Readonly<{
  context: TransactionContext;
  /** Tells a user's open pages about a change. */
  announce(change: { commands: readonly { userId: string }[] }): void;
}>;

/**
 * Carries out steps of long work: at once for work that this worker began, and at intervals for work that another
 * worker left.
 */
export function startWorks(worker: Pick<WorkerContext, "log" | "watch">, { context, announce }: Options) {
  const { log, watch } = worker;
  /** Users take turns, one step each. A waiting user needs no second turn. */
  const turns = createTurns({ atOnce: stepsAtOnce, atOnceOfKey: 1, mostWaitingOfKey: 1 });
  let isStopping = false;

  /** @returns "none" also if another worker does the work, or the step must be retried later */
  async function takeStep(userId: string): Promise<"more" | "none"> {
    let work: WorkRow | undefined;
    try {
      return await transact(context, { queue: "works" }, async ({ connection }) => {
        work = await claim(connection, userId);
        const step = work && (await carryOutStep(context, connection, work));
        await connection.query(work ? "commit" : "rollback");
        if (step?.cursor === null) announce({ commands: [{ userId }] });
        return work ? "more" : "none";
      });
    } catch (error) {
      const failure = failureOf(error, false);
      const isLast = work !== undefined && failure.by !== "outage" && (await failed(context, work));
      log[isLast ? "error" : "warn"](
        { work: work?.name, reason: String(failure.cause) },
        isLast ? "long work given up" : "step failed",
      );
      return "none";
    }
  }

  async function carryOn(userId: string): Promise<void> {
    const step = async () => (isStopping ? "none" : watch.during("long work", () => takeStep(userId)));
    const next = await turns.run(userId, step, () => "none");
    if (next === "more") void carryOn(userId);
  }

  const look = async () => {
    for (const userId of await usersWithWork(context.pool)) void carryOn(userId);
  };
  const schedule = startSchedule(worker, { name: "works", everyMs, run: look });
  return {
    carryOn: (userId: string) => void carryOn(userId),
    async stop(): Promise<void> {
      isStopping = true;
      await schedule.stop();
      await turns.drained();
    },
  };
}

/** Begins a step. @returns the oldest work of the user, unless another worker has the user's turn */
async function claim(connection: Queryable, userId: string): Promise<WorkRow | undefined> {
  const [, , isFree] = await Promise.all([
    connection.query("begin"),
    connection.query(`set local lock_timeout = ${lockTimeoutMs}`),
    takeTurn(connection, userId),
  ]);
  if (!isFree) return undefined;
  const { rows } = await connection.query<WorkRow>(
    "select * from works where user_id = $1 and ended_at is null order by created_at, id limit 1",
    [userId],
  );
  return rows[0];
}

async function usersWithWork(connection: Queryable): Promise<string[]> {
  const { rows } = await connection.query<{ user_id: string }>(
    "select user_id from works where ended_at is null order by user_id limit $1",
    [100],
  );
  return rows.map(({ user_id }) => user_id);
}

const mostTries = 5;

/**
 * Notes a failed attempt. A step that never succeeds must not keep its user's other work waiting forever, so the last
 * one ends the work.
 * @returns whether it was the last
 */
async function failed({ pool }: TransactionContext, { user_id, id }: WorkRow): Promise<boolean> {
  const { rows } = await pool
    .query<{ is_last: boolean }>(
      `update works set tries = tries + 1, ended_at = case when tries + 1 >= ${mostTries} then now() end,
         outcome = case when tries + 1 >= ${mostTries} then $3 end
       where user_id = $1 and id = $2 and ended_at is null returning ended_at is not null as is_last`,
      [user_id, id, JSON.stringify(internalFault)],
    )
    .catch(() => ({ rows: [] }));
  return rows[0]?.is_last ?? false;
}
