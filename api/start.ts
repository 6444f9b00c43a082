import { openDatabase } from "../shared/db/orm.ts";
import { openReminderSecrets } from "../shared/db/reminder-secrets.ts";
import { createPostgresCheck } from "../shared/db/schema-guard.ts";
import type { Config } from "../shared/process/config.ts";
import { readConnections } from "../shared/process/connections.ts";
import { createHealthCheck } from "../shared/process/observe/health.ts";
import type { Log } from "../shared/process/observe/log.ts";
import { openTracing } from "../shared/process/observe/open-tracing.ts";
import { throttled } from "../shared/process/observe/throttle-log.ts";
import type { QueuedCommand } from "../shared/queue/batch.ts";
import { connectFailFast } from "../shared/queue/connections.ts";
import { createRedisCheck } from "../shared/queue/redis-check.ts";
import { createApp, refuseUnread } from "./app.ts";
import { createAuthenticator } from "./auth/authenticate.ts";
import { createZoneClaim } from "./auth/claim-zone.ts";
import { identityClient } from "./auth/identity-client.ts";
import { discoverProvider } from "./auth/provider.ts";
import { createRevocation } from "./auth/revocation.ts";
import { createUseCount } from "./auth/use-count.ts";
import { createOverLimit } from "./doors/mcp/over-limit.ts";
import { feedsPerMinute } from "./doors/pages/calendar/feed.ts";
import { formsPerMinute } from "./doors/pages/edit/thing-form.ts";
import { uploadsPerHour } from "./doors/pages/import/upload.ts";
import { openAccountPages } from "./doors/pages/open.ts";
import { actsPerMinute } from "./doors/pages/reminder/act.ts";
import { loadPagesKeys } from "./doors/pages/session/keys.ts";
import { openLiveHub } from "./doors/streams/hub.ts";
import { readUserState } from "./doors/streams/version.ts";
import { listen } from "./http/listen.ts";
import { createMetrics, type Metrics } from "./http/metrics.ts";
import { createObserve } from "./http/observe.ts";
import { createLocalRateLimit, createRateLimit } from "./http/rate-limit.ts";
import { createDispatch } from "./mailbox/dispatch.ts";
import { createDispatchGroup } from "./mailbox/dispatch-group.ts";
import { openMailbox } from "./mailbox/mailbox.ts";
import { limitSentBytes } from "./mailbox/sent-bytes.ts";
import { openServerClock } from "./mailbox/server-clock.ts";
import { openQueries } from "./queries/engine/context.ts";
import { feedOwner } from "./queries/engine/guard.ts";
import { readTurns, refuseRead } from "./queries/engine/share.ts";
import { openReads, type Reads } from "./queries/standby.ts";

type Options = Readonly<{
  config: Config;
  log: Log;
  /** Dates commands, reads and tool calls (epoch ms) instead of PostgreSQL's clock, for tests that travel in time. */
  now?: () => number;
}>;

/**
 * If Redis has not answered within this time, only this process counts the request. Limits of requests that come
 * together are asked for together.
 */
const counting = { commandTimeout: 300, enableAutoPipelining: true };

/** Starts one front door. Any number of them can run side by side. */
export async function startApi({ config, log, ...options }: Options): Promise<{ stop(): Promise<void> }> {
  const database = await openDoorDatabase({ config, log });
  const redis = connectFailFast(config.redisUrl, counting);
  const metrics = createMetrics(config);
  const tracing = await openTracing("kept-api", { config, log });
  const reads = await openReads({ config, log, database, registry: metrics.registry });
  const [mailbox, clock] = await Promise.all([
    openMailbox(config, database.pool, sayLost(log)).then((opened) => limitSentBytes(opened, config)),
    openServerClock(database.pool),
  ]);
  metrics.show({ pools: reads.pools, mailbox });
  const { now = clock.now } = options;
  const query = openQueries(config, reads, now);
  const dispatch = createDispatch(mailbox, database, clock, now);
  const dispatchGroup = createDispatchGroup(mailbox, database, clock, now);
  const client = config.builtInIdentity ? await identityClient(config, database.pool) : config.authClient;
  const readState = (userId: string) => readUserState(query({ userId }), userId);
  const live = await openLiveHub({ config, redis, readState });
  const claimZone = createZoneClaim({ query, dispatch });
  const authenticator = createAuthenticator({ config, client, log, onChecked: claimZone });
  const revokeToken = createRevocation(config, client, authenticator.refuseToken);
  const findOwner = createFindOwner(reads.primary);
  const [overLimit, useCount] = [createOverLimit({ dispatch, query }, now), createUseCount(dispatch)];
  const [secrets, keys] = [openReminderSecrets(database.pool), await loadPagesKeys(database.pool)];
  const rateLimit = createRateLimits({ config, log, redis, metrics, now: clock.now });
  const app = createApp({
    observe: createObserve(metrics.requestSeconds, tracing),
    ...{ config, log, now, dispatch, dispatchGroup, overLimit, query, live, noteUse: useCount.note },
    authenticate: authenticator.authenticate,
    answerPage: openAccountPages({
      ...{ config, log, client, dispatch, query, claimZone, revokeToken, live, secrets, keys },
      formLimit: rateLimit("forms", formsPerMinute),
      uploadLimit: rateLimit("uploads", uploadsPerHour, 3_600),
    }),
    toolRateLimit: unlessOff(config.mcpRateLimitPerMinute, (limit) => rateLimit("mcp", limit)),
    messageLimit: unlessOff(config.mcpRateLimitPerMinute, (limit) => createLocalRateLimit(limit, clock.now)),
    rateLimit: unlessOff(config.rateLimitPerMinute, (limit) => rateLimit("rest", limit)),
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
      "sign-in": discoverProvider(config),
    }),
    answer: app.handle,
    endStreams: live.endAll,
  });
  return {
    async stop() {
      await listener.stop();
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

const openDoorDatabase = ({ config, log }: Options) =>
  openDatabase({
    url: config.databaseUrl,
    log,
    prepare: config.databasePrepare,
    connections: readConnections(config),
  });

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
