import { AsyncLocalStorage } from "node:async_hooks";
import type { Context, Next } from "koa";
import { errors } from "oidc-provider";
import type { Pool, PoolClient } from "pg";
import type { IdentityClient } from "../../shared/db/identity-client.ts";
import type { Log } from "../../shared/process/log.ts";
import { seldom } from "../../shared/process/seldom.ts";
import { networkOf } from "../http/intake/network.ts";
import { createReadShare } from "../queries/share.ts";
import { isUniqueViolation } from "./accounts/accounts.ts";
import { isService } from "./oauth/revocations.ts";

/** The network whose request is served. Chores have none. */
const networks = new AsyncLocalStorage<string>();

type Statement = [text: string, values?: unknown[]];

/** Counts what a request asks of the database for its network. The service itself asks for everybody, so it has no turns. */
export function countForNetwork(ownClient: IdentityClient) {
  return (ctx: Context, next: Next): Promise<void> =>
    isService(ctx.get("authorization"), ownClient) ? next() : networks.run(networkOf(ctx.ip), next);
}

/**
 * Shares a pool between networks: each has a few statements or transactions at a time, so that the many of one leave
 * connections for others. Whatever a statement or its connection fails with is an outage, but for a taken value.
 */
export function fairPool(pool: Pool, log: Log): Pool {
  const share = createReadShare("reads");
  const note = seldom((error: unknown) =>
    log.warn({ reason: String(error) }, "the database failed a statement"),
  );

  function failed(error: unknown): never {
    if (isUniqueViolation(error)) throw error;
    note(error);
    throw outage("The service is briefly unable to answer. Please try again.", error);
  }

  async function inTurn<Result extends object>(work: () => Promise<Result>): Promise<Result> {
    const network = networks.getStore();
    const result = network === undefined ? await work() : await share(network, work);
    if ("refusal" in result) throw outage(result.refusal.message);
    return result;
  }

  const lend = async (end: () => void): Promise<PoolClient> => {
    const client = await pool.connect().catch(failed);
    return Object.assign(Object.create(client) as PoolClient, {
      query: (...statement: Statement) => client.query(...statement).catch(failed),
      release(error?: Error | boolean) {
        client.release(error);
        end();
      },
    });
  };

  return Object.assign(Object.create(pool) as Pool, {
    query: (...statement: Statement) => inTurn(() => pool.query(...statement).catch(failed)),
    /** The turn ends when the connection is given back. */
    connect: () =>
      new Promise<PoolClient>((resolve, reject) => {
        inTurn(async () => {
          const ended = Promise.withResolvers<object>();
          resolve(await lend(() => ended.resolve({})));
          return ended.promise;
        }).catch(reject);
      }),
  });
}

/** An error that oidc-provider answers with 503 itself, and sends to no app. */
function outage(description: string, cause?: unknown): Error {
  const error = new errors.TemporarilyUnavailable(description);
  return Object.assign(error, { cause, status: 503, statusCode: 503, allow_redirect: false });
}
