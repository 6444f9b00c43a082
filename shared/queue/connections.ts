import { Cluster, Redis, type RedisOptions } from "ioredis";

/** The address of Redis: one server, the master that Sentinels name, or a Cluster. */
type RedisAddress =
  | Readonly<{ kind: "server"; url: string }>
  | Readonly<{ kind: "sentinels"; name: string; db: number; nodes: readonly RedisNode[] } & Credentials>
  | Readonly<{ kind: "cluster"; nodes: readonly RedisNode[]; tls: boolean } & Credentials>;

type RedisNode = Readonly<{ host: string; port: number }>;
type Credentials = { username?: string; password?: string };

const form =
  /^(rediss?)\+(sentinel|cluster):\/\/(?:([^:@/]*)(?::([^@/]*))?@)?([^/?]+)(?:\/([^/?]+))?(?:\/(\d+))?$/;

/**
 * Reads REDIS_URL: `redis://…`, `redis+sentinel://user:password@host:port,host:port/name/database` or
 * `redis+cluster://user:password@host:port,host:port`. The credentials are those of the servers of data.
 * @throws Error naming the variable
 */
function readRedisAddress(url: string): RedisAddress {
  if (/^rediss?:/.test(url) && URL.canParse(url)) return { kind: "server", url };
  const [, scheme, kind, username, password, hosts = "", name, db = "0"] = form.exec(url) ?? [];
  const nodes = hosts.split(",").map(readNode);
  const credentials = {
    ...(username && { username: decodeURIComponent(username) }),
    ...(password && { password: decodeURIComponent(password) }),
  };
  if (kind === "cluster" && name === undefined)
    return { kind: "cluster", nodes, tls: scheme === "rediss", ...credentials };
  if (kind === "sentinel" && name !== undefined && scheme === "redis")
    return { kind: "sentinels", name, db: Number(db), nodes, ...credentials };
  throw new Error(
    "REDIS_URL must be redis://host:port, redis+sentinel://host:port,host:port/name or redis+cluster://host:port,host:port.",
  );
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

/** A connection to the server or cluster of REDIS_URL. */
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
  const address = readRedisAddress(url);
  const own = { ...options, connectTimeout };
  if (address.kind === "server") return quiet(new Redis(address.url, { ...own, retryStrategy }));
  const { username, password } = address;
  const credentials = { ...(username && { username }), ...(password && { password }) };
  if (address.kind === "sentinels") {
    const { nodes, name, db } = address;
    // Without ioredis' detector of fail-overs, whose news ends a connection for good while it looks for the master. A
    // dead or frozen master is noticed by silence, and Sentinels close the connections of a former one.
    return quiet(
      new Redis({
        ...own,
        ...credentials,
        sentinels: [...nodes],
        name,
        db,
        retryStrategy,
        sentinelRetryStrategy: retryStrategy,
        sentinelCommandTimeout: connectTimeout,
      }),
    );
  }
  const { enableOfflineQueue = true, enableAutoPipelining = false, ...redisOptions } = own;
  const cluster = new Cluster([...address.nodes], {
    enableOfflineQueue,
    enableAutoPipelining,
    clusterRetryStrategy: retryStrategy,
    slotsRefreshTimeout: connectTimeout,
    slotsRefreshInterval: lookAgainMs,
    // As above, commands that may have arrived are not sent again.
    retryDelayOnFailover: 0,
    redisOptions: { ...redisOptions, ...credentials, ...(address.tls && { tls: {} }) },
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

/** A front door's subscription to its replies. */
type Subscription = Readonly<{
  /** False while a reply would be lost. */
  isListening(): boolean;
  close(): void;
}>;

type SubscriptionEvents = Readonly<{
  onMessage(text: string): void;
  /** Called when the connection is ready, for the first time or again. */
  onListening(): void;
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
): Promise<Subscription> {
  const redis = connectBlocking(redisUrl, pongMs);
  redis.on("message", (_channel, text) => onMessage(text));
  redis.on("ready", onListening);
  const failed = new Promise((resolve) => redis.once("close", resolve));
  await Promise.race([redis.subscribe(channel), failed, Bun.sleep(startMs)]);
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
