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
export function readRedisAddress(url: string): RedisAddress {
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
