import type { Pool } from "pg";
import { openDatabase } from "../shared/db/orm.ts";
import { createPostgresCheck } from "../shared/db/schema-guard.ts";
import { openReminderSecrets } from "../shared/db/shared-secrets.ts";
import type { Config } from "../shared/process/config.ts";
import { readConnections } from "../shared/process/connections.ts";
import { databaseUrlOf } from "../shared/process/database-roles.ts";
import { type Log, throttled } from "../shared/process/observe/log.ts";
import { openTracing } from "../shared/process/observe/open-tracing.ts";
import { createHealthCheck } from "../shared/process/observe/status-pages.ts";
import type { Role } from "../shared/process/role.ts";
import type { QueuedCommand } from "../shared/queue/batch.ts";
import { connectFailFast } from "../shared/queue/connections.ts";
import { createRedisCheck } from "../shared/queue/redis-check.ts";
import { createApp, refuseUnread } from "./app.ts";
import { createAuthenticator, type TokenKey } from "./auth/authenticate.ts";
import { createZoneClaim } from "./auth/claim-zone.ts";
import { discoverProvider } from "./auth/provider.ts";
import { createUseCount } from "./auth/use-count.ts";
import { createOverLimit } from "./doors/mcp/log-call.ts";
import { feedsPerMinute } from "./doors/pages/calendar/feed.ts";
import { formsPerMinute } from "./doors/pages/edit/thing-form.ts";
import { uploadsPerHour } from "./doors/pages/import/page.ts";
import { actsPerMinute } from "./doors/pages/reminder/act.ts";
import { openAccountPages } from "./doors/pages/router.ts";
import { loadPagesKeys } from "./doors/pages/session/sealed-cookie.ts";
import { openLiveHub, readUserState } from "./doors/streams/hub.ts";
import { listen } from "./http/listen.ts";
import { createMetrics, createObserve, type Metrics } from "./http/observe.ts";
import { createLocalRateLimit, createRateLimit, limitSentBytes } from "./http/rate-limit.ts";
import { createTell, type Tell } from "./identity/accounts/outbox.ts";
import type { BuiltInProvider } from "./identity/start.ts";
import { createDispatch, createDispatchGroup, type Dispatch } from "./mailbox/dispatch.ts";
import { openMailbox } from "./mailbox/mailbox.ts";
import { openServerClock } from "./mailbox/server-clock.ts";
import { feedOwner, openQueries } from "./queries/engine/context.ts";
import { readTurns, refuseRead } from "./queries/engine/share.ts";
import { openReads, type Reads } from "./queries/standby.ts";
import type { KeyRing } from "./web/key-ring.ts";

type Options = Readonly<{
  config: Config;
  log: Log;
  /** Dates commands, reads and tool calls (epoch ms) instead of PostgreSQL's clock, for tests that travel in time. */
  now?: () => number;
  /** Certificates that the built-in provider trusts, and who hears its news, in tests. */
  ca?: string;
  tell?: Tell;
}>;

/**
 * If Redis has not answered within this time, only this process counts the request. Limits of requests that come
 * together are asked for together.
 */
const counting = { commandTimeout: 300, enableAutoPipelining: true };

/** Starts one front door. Any number of them can run side by side. */
export async function startApi({ config, log, ...options }: Options): Promise<Role> {
  const database = await openDoorDatabase({ config, log });
  const [metrics, redis] = [createMetrics(config), connectFailFast(config.redisUrl, counting)];
  const tracing = await openTracing("kept-api", { config, log });
  const reads = await openReads({ config, log, database, registry: metrics.registry });
  const [mailbox, clock] = await openSending({ config, log }, database.pool);
  const { now = clock.now } = options;
  const query = openQueries(config, reads, now);
  const dispatch = createDispatch(mailbox, database, clock, now);
  const dispatchGroup = createDispatchGroup(mailbox, database, clock, now);
  const live = await openLiveHub({
    config,
    redis,
    readState: (userId) => readUserState(query({ userId })),
  });
  const claimZone = createZoneClaim({ query, dispatch });
  const [secrets, keys] = [openReminderSecrets(database.pool), await loadPagesKeys(database.pool)];
  const provider = await openProvider({ config, log, ...options, metrics, dispatch, formKeys: keys.forms });
  metrics.show(mailbox, { ...reads.pools, ...(provider && { identity: provider.pool }) });
  const findClaims = provider?.findClaims;
  const authenticator = createAuthenticator({ config, log, findClaims, onChecked: claimZone });
  const findOwner = createFindOwner(reads.primary);
  const [overLimit, useCount] = [createOverLimit({ dispatch, query }, now), createUseCount(dispatch)];
  const rateLimit = createRateLimits({ config, log, redis, metrics, now: clock.now });
  const app = createApp({
    observe: createObserve(metrics.requestSeconds, tracing),
    ...{ config, log, now, dispatch, dispatchGroup, overLimit, query, live, noteUse: useCount.note },
    authenticate: authenticator.authenticate,
    answerProvider: provider?.answer,
    answerPage: openAccountPages({
      ...{ config, log, dispatch, query, claimZone, live, secrets, keys },
      findOwnSession: provider?.findSession,
      findAccess: provider?.findAccess,
      endToken: provider && endingTokens(provider, authenticator.refuseToken),
      ...limitsOfPages(rateLimit),
    }),
    ...limitsOfTokens(config, rateLimit, clock.now),
    calendar: { config, query, findOwner, limit: rateLimit("calendar", feedsPerMinute) },
    acts: { now, dispatch, query, linkKeys: secrets.linkKeys, limit: rateLimit("acts", actsPerMinute) },
  });
  const listener = listen(config, log, {
    turnAway: refuseUnread,
    knownUser: authenticator.knownUser,
    exposition: metrics,
    ready: createHealthCheck({
      postgres: createPostgresCheck(database.pool, log),
      redis: createRedisCheck(redis, config.queuePrefix, log),
      worker: () => mailbox.ping(),
      "sign-in": provider ? () => provider.pool.query(anyAccount) : discoverProvider(config),
    }),
    answer: app.handle,
    endStreams: live.endAll,
  });
  return {
    details: { ...provider?.details },
    async stop() {
      await listener.stop();
      await provider?.stop();
      live.close();
      await Promise.all([overLimit.stop(), useCount.stop()]);
      await mailbox.close();
      clock.close();
      redis.disconnect();
      await reads.close();
      await database.close();
      await tracing?.stop();
    },
  };
}

const anyAccount = "select from identity.accounts limit 1";

const openDoorDatabase = ({ config, log }: Options) =>
  openDatabase({
    url: databaseUrlOf(config, "door"),
    log,
    prepare: config.databasePrepare,
    connections: readConnections(config),
  });

type ForProvider = Options & Readonly<{ metrics: Metrics; dispatch: Dispatch; formKeys: KeyRing<string> }>;

/** The packages of the provider are loaded only if it runs here. */
async function openProvider({
  metrics,
  dispatch,
  ...parts
}: ForProvider): Promise<BuiltInProvider | undefined> {
  if (!parts.config.builtInIdentity) return undefined;
  const { startIdentity } = await import("./identity/start.ts");
  return startIdentity({ tell: createTell(dispatch, parts.log), ...parts, registry: metrics.registry });
}

/** This door refuses an ended token at once; other doors do when their cached checks expire. */
const endingTokens =
  ({ endToken }: BuiltInProvider, refuseToken: (key: TokenKey) => void) =>
  async (key: TokenKey): Promise<void> => {
    await endToken(key);
    refuseToken(key);
  };

const openSending = ({ config, log }: Options, pool: Pool) =>
  Promise.all([
    openMailbox(config, pool, sayLost(log)).then((opened) => limitSentBytes(opened, config)),
    openServerClock(pool),
  ]);

/** The user of a feed is unknown before the look-up, so each network has turns of its own. */
function createFindOwner(primary: Reads["primary"]) {
  const turns = readTurns("lookUps");
  return (secretHash: string, network: string) =>
    turns.run(network, () => feedOwner(primary, secretHash, network), refuseRead);
}

type Limiting = Pick<Options, "config" | "log"> &
  Readonly<{ redis: Parameters<typeof createRateLimit>[0]; metrics: Metrics; now: () => number }>;

function createRateLimits({ config, log, redis, metrics, now }: Limiting) {
  const onFallback = noteFallbacks(metrics, log);
  return (door: string, limit: number, seconds?: number) =>
    createRateLimit(redis, `${config.queuePrefix}:rate:${door}`, limit, now, onFallback, seconds);
}

const limitsOfPages = (rateLimit: ReturnType<typeof createRateLimits>) => ({
  formLimit: rateLimit("forms", formsPerMinute),
  uploadLimit: rateLimit("uploads", uploadsPerHour, 3_600),
});

const limitsOfTokens = (
  { mcpRateLimitPerMinute, rateLimitPerMinute }: Config,
  rateLimit: ReturnType<typeof createRateLimits>,
  now: () => number,
) => ({
  toolRateLimit: unlessOff(mcpRateLimitPerMinute, (limit) => rateLimit("mcp", limit)),
  messageLimit: unlessOff(mcpRateLimitPerMinute, (limit) => createLocalRateLimit(limit, now)),
  rateLimit: unlessOff(rateLimitPerMinute, (limit) => rateLimit("rest", limit)),
});

/** A limit of 0 means none. */
const unlessOff = <Limit>(limit: number, make: (limit: number) => Limit): Limit | undefined =>
  limit === 0 ? undefined : make(limit);

function noteFallbacks(metrics: Metrics, log: Log): () => void {
  const say = throttled(() =>
    log.warn("Redis does not count requests; each front door limits them by itself"),
  );
  return () => {
    metrics.countFallback();
    say();
  };
}

/** Says at most once a minute that changes are refused, with the id of one of the requests. */
function sayLost(log: Log) {
  const say = throttled((request_id: string, command: string, result: string) =>
    log.warn({ request_id, command, result }, "changes are refused"),
  );
  // Counts of the door itself belong to no request.
  return ({ name, call }: Omit<QueuedCommand, "ticket">, result: string) =>
    call && say(call.requestId, name, result);
}
