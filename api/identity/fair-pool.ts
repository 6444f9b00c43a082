import type { Pool, PoolClient } from "pg";
import { type Log, throttled } from "../../shared/process/observe/log.ts";
import { readTurns, tooManyReads } from "../queries/engine/share.ts";
import { isUniqueViolation } from "./accounts/accounts.ts";
import { requestUnderWay } from "./journal.ts";

type Statement = [text: string, values?: unknown[]];

/**
 * Shares a pool between networks: each has a few statements or transactions at a time, so that one with many leaves
 * connections for others. Every failure except a unique violation counts as an outage.
 */
export function fairPool(pool: Pool, log: Log): Pool {
  const turns = readTurns("reads");
  const note = throttled((error: unknown) =>
    log.warn({ reason: String(error) }, "the database failed a statement"),
  );

  async function failed(error: unknown): Promise<never> {
    if (isUniqueViolation(error)) throw error;
    note(error);
    throw await outage("The service is briefly unable to answer. Please try again.", error);
  }

  /** @returns a function that ends the turn of the network */
  async function takeTurn(): Promise<() => void> {
    const network = requestUnderWay()?.network;
    const end = network === undefined ? () => {} : await turns.take(network);
    if (!end) throw await outage(tooManyReads.refusal.message);
    return end;
  }

  const fair: Pool = Object.create(pool);
  return Object.assign(fair, {
    async query(...statement: Statement) {
      const endTurn = await takeTurn();
      return pool
        .query(...statement)
        .catch(failed)
        .finally(endTurn);
    },
    /** The turn ends when the connection is given back. */
    async connect(): Promise<PoolClient> {
      const endTurn = await takeTurn();
      const client = await pool.connect().catch((error) => {
        endTurn();
        return failed(error);
      });
      const watched: PoolClient = Object.create(client);
      return Object.assign(watched, {
        query: (...statement: Statement) => client.query(...statement).catch(failed),
        release(error?: Error | boolean) {
          client.release(error);
          endTurn();
        },
      });
    },
  });
}

/** An error that oidc-provider answers with 503 itself, and never sends to an app. */
async function outage(description: string, cause?: unknown): Promise<Error> {
  const { errors } = await import("oidc-provider");
  const error = new errors.TemporarilyUnavailable(description);
  return Object.assign(error, { cause, status: 503, statusCode: 503, allow_redirect: false });
}
