import { Cluster, Redis, type RedisOptions } from "ioredis";

type RedisNode = Readonly<{ host: string; port: number }>;

const form =
  /^(rediss?)\+(sentinel|cluster):\/\/(?:([^:@/]*)(?::([^@/]*))?@)?([^/?]+)(?:\/([^/?]+))?(?:\/(\d+))?$/;

/**
 * Reads a REDIS_URL of several servers: `redis+sentinel://user:password@host:port,host:port/name/database`, whose
 * Sentinels know the master of that name, or `redis+cluster://user:password@host:port,host:port`, which has no name. The
 * credentials are those of the servers of data.
 * @throws Error naming the variable
 */
function readServers(url: string) {
  const [, scheme, kind, username, password, hosts = "", name, db = "0"] = form.exec(url) ?? [];
  const nodes = hosts.split(",").map(readNode);
  if (kind !== (name === undefined ? "cluster" : "sentinel") || (name !== undefined && scheme !== "redis"))
    throw new Error(
      "REDIS_URL must be redis://host:port, redis+sentinel://host:port,host:port/name or redis+cluster://host:port,host:port.",
    );
  const credentials = {
    ...(username && { username: decodeURIComponent(username) }),
    ...(password && { password: decodeURIComponent(password) }),
  };
  return { nodes, credentials, name, db: Number(db), tls: scheme === "rediss" };
}

function readNode(text: string): RedisNode {
  const [, host = "", port] = /^(\[[^\]]+\]|[^:]+):(\d+)$/.exec(text) ?? [];
  if (port === undefined) throw new Error("Each server in REDIS_URL must be host:port.");
  return { host: host.replace(/^\[|\]$/g, ""), port: Number(port) };
}

/** The pub/sub channel on which one front door hears the replies to its batches. */
export const replyChannel = (queuePrefix: string, doorId: string): string => `${queuePrefix}:reply:${doorId}`;

/** A connection without an answer for this long is replaced. */
const silenceMs = 2_000;
/** The same for workers, which wait for a job for one second at a time. */
export const workerSilenceMs = 2_500;

const connectTimeout = 1_500;
const retryStrategy = (attempt: number): number => Math.min(50 * attempt, 500);

export type RedisConnection = Redis | Cluster;

/**
 * A connection whose commands fail at once when Redis is away and within `commandTimeout` ms when it is frozen. It
 * reconnects by itself. BullMQ must not wait for it at start, or a process started while Redis is down stays dead.
 */
export const connectFailFast = (
  url: string,
  own: Pick<RedisOptions, "commandTimeout" | "enableAutoPipelining"> = {},
): RedisConnection =>
  connect(url, {
    enableOfflineQueue: false,
    // A command that a lost connection left unanswered fails at once and is not sent again. Refused the second time
    // it would count as never sent, although the first may have arrived.
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    commandTimeout: 1_500,
    socketTimeout: silenceMs,
    ...own,
  });

/**
 * A connection for blocking reads and subscriptions. Commands wait until Redis is back, and it never stops
 * reconnecting, also after `socketTimeout` ms without an answer, because a network path can die without closing.
 */
export const connectBlocking = (url: string, socketTimeout: number): RedisConnection =>
  connect(url, { maxRetriesPerRequest: null, socketTimeout });

/** Resolves when the connection is ready, or its first try has failed; further tries continue by themselves. */
export const firstTry = (redis: RedisConnection): Promise<unknown> =>
  redis.status === "ready"
    ? Promise.resolve()
    : new Promise((resolve) => redis.once("ready", resolve).once("close", resolve));

/** Milliseconds between questions to a Cluster for its key ranges: a master that vanished announces no successor. */
const lookAgainMs = 500;

type Patience = Pick<
  RedisOptions,
  | "enableOfflineQueue"
  | "maxRetriesPerRequest"
  | "autoResendUnfulfilledCommands"
  | "commandTimeout"
  | "socketTimeout"
  | "enableAutoPipelining"
>;

function connect(url: string, options: Patience): RedisConnection {
  const own = { ...options, connectTimeout };
  if (/^rediss?:/.test(url) && URL.canParse(url)) return quiet(new Redis(url, { ...own, retryStrategy }));
  const { nodes, credentials, name, db, tls } = readServers(url);
  // Without ioredis' detector of fail-overs, whose news ends a connection for good while it looks for the master. A
  // dead or frozen master is noticed by silence, and Sentinels close the connections of a former one.
  if (name !== undefined)
    return quiet(
      new Redis({
        ...own,
        ...credentials,
        sentinels: nodes,
        name,
        db,
        retryStrategy,
        sentinelRetryStrategy: retryStrategy,
        sentinelCommandTimeout: connectTimeout,
      }),
    );
  const { enableOfflineQueue = true, enableAutoPipelining = false, ...redisOptions } = own;
  const cluster = new Cluster(nodes, {
    enableOfflineQueue,
    enableAutoPipelining,
    clusterRetryStrategy: retryStrategy,
    slotsRefreshTimeout: connectTimeout,
    slotsRefreshInterval: lookAgainMs,
    // As above, commands that may have arrived are not sent again.
    retryDelayOnFailover: 0,
    redisOptions: { ...redisOptions, ...credentials, ...(tls && { tls: {} }) },
  });
  return quiet(cluster);
}

const failures = new WeakMap<RedisConnection, string>();

/** The reason why a connection is not ready, which a command that it refuses does not tell. */
export const connectionFailure = (redis: RedisConnection): string | undefined =>
  redis.status === "ready" ? undefined : failures.get(redis);

/** Errors show in the command that fails; an `error` event without a listener would end the process. */
function quiet<Connection extends RedisConnection>(redis: Connection): Connection {
  redis.on("error", (error: Error) => failures.set(redis, error.message));
  return redis;
}

type SubscriptionEvents = Readonly<{
  onMessage(text: string): void;
  /** Called when the connection is ready, for the first time or again. */
  onListening?(): void;
}>;

const heartbeatMs = 1_000;
const pongMs = 900;
const startMs = 1_500;

/**
 * Listens to a channel. A connection that only listens does not notice that its path died without closing (a load
 * balancer forgot it, a host was suspended). So it pings each second and reconnects without an answer.
 */
export async function subscribe(
  redisUrl: string,
  channel: string,
  { onMessage, onListening }: SubscriptionEvents,
) {
  const redis = connectBlocking(redisUrl, pongMs);
  redis.on("message", (_channel, text) => onMessage(text));
  if (onListening) redis.on("ready", onListening);
  const failed = new Promise((resolve) => redis.once("close", resolve));
  await Promise.race([redis.subscribe(channel), failed, Bun.sleep(startMs)]);
  /** False while a message would be lost. */
  const isListening = () => redis.status === "ready";
  const heartbeat = setInterval(() => {
    if (isListening()) redis.ping().catch(() => {});
  }, heartbeatMs);
  return {
    isListening,
    close() {
      clearInterval(heartbeat);
      redis.disconnect();
    },
  };
}
