import { identityClient } from "../shared/db/identity-client.ts";
import { openDatabase } from "../shared/db/orm.ts";
import { openServerClock } from "../shared/db/server-clock.ts";
import type { Config } from "../shared/process/config.ts";
import { createHealthCheck } from "../shared/process/health.ts";
import type { Log } from "../shared/process/log.ts";
import { openTracing } from "../shared/process/open-tracing.ts";
import { seldom } from "../shared/process/seldom.ts";
import { createDispatch } from "../shared/queue/client/dispatch.ts";
import { createDispatchGroup } from "../shared/queue/client/dispatch-group.ts";
import { openMailbox } from "../shared/queue/client/mailbox.ts";
import { connectFailFast } from "../shared/queue/connections.ts";
import { feedsPerMinute } from "./account/calendar/feed.ts";
import { uploadsPerHour } from "./account/data/import/upload.ts";
import { formsPerMinute } from "./account/edit/thing-form.ts";
import { openAccountPages } from "./account/open.ts";
import { openLiveHub } from "./account/streams/hub.ts";
import { readUserState } from "./account/streams/version.ts";
import { createApp, refusalAt } from "./app.ts";
import { createZoneAdoption } from "./auth/adopt-zone.ts";
import { createAuthenticator } from "./auth/authenticate.ts";
import { createRevocation } from "./auth/revocation.ts";
import { createTurnAway } from "./http/intake/turn-away.ts";
import { listen } from "./http/listen.ts";
import { createMetrics, type Metrics } from "./http/metrics.ts";
import { createObserve } from "./http/observe.ts";
import { createLocalRateLimit, createRateLimit } from "./http/rate-limit.ts";
import { createFinish } from "./http/response.ts";
import { createOverLimit } from "./mcp/over-limit.ts";
import type { PerformContext } from "./perform.ts";
import { createQueryContext } from "./queries/context.ts";
import { feedOwner } from "./queries/guard.ts";
import { createReadAgain } from "./queries/read-again.ts";
import { createReadShare } from "./queries/share.ts";
import { openReads, type Reads } from "./queries/standby/open.ts";

type Options = Readonly<{
  config: Config;
  log: Log;
  /** Dates commands, reads and tool calls (epoch ms) instead of PostgreSQL's clock, for tests that travel in time. */
  now?: () => number;
}>;

/** When Redis has not answered for this long, a request is counted by its process alone. */
const countingTimeoutMs = 300;

/** Starts one front door. Any number of them can run side by side. */
export async function startApi({ config, log, ...options }: Options): Promise<{ stop(): Promise<void> }> {
  const database = await openDoorDatabase({ config, log });
  const redis = connectFailFast(config.redisUrl, countingTimeoutMs);
  const metrics = createMetrics(config);
  const tracing = await openTracing("kept-api", { config, log });
  const reads = await openReads({ config, log, database, redis, registry: metrics.registry });
  const [mailbox, clock] = await Promise.all([
    openMailbox(config, reads.checkReply),
    openServerClock(database.pool),
  ]);
  metrics.show({ pools: reads.pools, mailbox });
  const { now = clock.now } = options;
  const query = createQuery(config, reads, now);
  const dispatch = createDispatch(mailbox, reads.inbox, clock, { now, readAgain: createReadAgain(query) });
  const dispatchGroup = createDispatchGroup(mailbox, reads.inbox, clock, now);
  const client = config.builtInIdentity ? await identityClient(config, database.pool) : config.authClient;
  const readState = (userId: string) => readUserState(query({ userId }), userId);
  const live = await openLiveHub({ config, redis, readState });
  const adoptZone = createZoneAdoption({ query, dispatch });
  const { revokeToken, isRevoked } = createRevocation(config, client);
  const authenticator = createAuthenticator({ config, client, log, onChecked: adoptZone, isRevoked });
  const findOwner = createFindOwner(reads.primary);
  const overLimit = createOverLimit({ dispatch, query }, now);
  const rateLimit = createRateLimits({ config, log, redis, metrics, now: clock.now });
  const app = createApp({
    config,
    log,
    observe: createObserve(metrics.requestSeconds, tracing),
    ...{ now, dispatch, dispatchGroup, overLimit, query },
    authenticate: authenticator.authenticate,
    answerPage: openAccountPages({
      ...{ config, log, client, dispatch, query, adoptZone, revokeToken, live },
      formLimit: rateLimit("forms", formsPerMinute),
      uploadLimit: rateLimit("uploads", uploadsPerHour, 3_600),
    }),
    toolRateLimit: rateLimit("mcp", config.mcpRateLimitPerMinute),
    messageLimit: createLocalRateLimit(config.mcpRateLimitPerMinute, clock.now),
    rateLimit: rateLimit("rest", config.rateLimitPerMinute),
    calendar: { config, query, findOwner, limit: rateLimit("calendar", feedsPerMinute) },
  });
  const listener = listen(config, log, {
    turnAway: await openTurnAway(config),
    knownUser: authenticator.knownUser,
    exposition: metrics,
    ready: createHealthCheck({
      postgres: () => database.pool.query("select 1"),
      redis: () => redis.ping(),
      worker: () => mailbox.ping(),
    }),
    answer: app.handle,
    endStreams: live.endAll,
  });
  return {
    async stop() {
      await listener.stop();
      live.close();
      await overLimit.stop();
      await mailbox.close();
      clock.close();
      redis.disconnect();
      await reads.close();
      await database.close();
      await tracing?.stop();
    },
  };
}

function openTurnAway({ baseUrl }: Config) {
  const finish = createFinish(baseUrl);
  return createTurnAway(["/mcp"], (path, refusal) => finish(refusalAt(path, refusal)));
}

const openDoorDatabase = ({ config, log }: Options) =>
  openDatabase({
    url: config.databaseUrl,
    log,
    prepare: config.databasePrepare,
    connections: config.databaseConnections ?? 10,
  });

/** The user of a feed is not known before the look-up, so each network has turns of its own. */
function createFindOwner(primary: Reads["primary"]) {
  const share = createReadShare("lookUps");
  return (secretHash: string, network: string) =>
    share(network, () => feedOwner(primary, secretHash, network));
}

function createQuery(
  { defaultTimeZone, baseUrl }: Config,
  { primary, shown }: Pick<Reads, "primary" | "shown">,
  now: () => number,
): PerformContext["query"] {
  const share = { reads: createReadShare("reads"), searches: createReadShare("searches") };
  return ({ userId, scopes = [], clientName = null }, { allowance, standbyMayAnswer = false } = {}) =>
    createQueryContext({
      ...{ db: standbyMayAnswer ? shown : primary, userId, now: now(), defaultTimeZone, baseUrl, share },
      token: { scopes, clientName, allowance },
    });
}

type Limiting = Pick<Options, "config" | "log"> &
  Readonly<{ redis: Parameters<typeof createRateLimit>[0]; metrics: Metrics; now: () => number }>;

function createRateLimits({ config, log, redis, metrics, now }: Limiting) {
  const onFallback = noteFallbacks(metrics, log);
  return (door: string, limit: number, seconds?: number) =>
    createRateLimit(redis, `${config.queuePrefix}:rate:${door}`, limit, now, onFallback, seconds);
}

function noteFallbacks(metrics: Metrics, log: Log): () => void {
  const say = seldom(() => log.warn("Redis does not count requests; each front door limits them by itself"));
  return () => {
    metrics.countFallback();
    say();
  };
}
