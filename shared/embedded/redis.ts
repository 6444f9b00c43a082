import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { RedisClient } from "bun";
import { endOrphan } from "./orphan.ts";
import { freePort } from "./port.ts";
import { type RedisBinary, redisBinary } from "./redis-binary.ts";
import { keptSecret } from "./secret.ts";
import { launchServer } from "./server.ts";
import { type Life, supervise } from "./supervisor.ts";

type Server = { binary: RedisBinary; folder: string; logFile: string; url: string };

/**
 * Starts a private Redis with its data in `dataDir`/redis and restarts it on the same port when it dies. It ends
 * with this process, also after kill -9. A Redis that has to be fetched lands in `.runtime` beside `dataDir`.
 * @throws when there is none to be had or it cannot start; its own words are in `dataDir`/redis.log.
 */
export async function startRedis(
  dataDir: string,
  report: (line: string) => void = () => {},
): Promise<{ url: string; stop(): Promise<void> }> {
  const data = resolve(dataDir);
  const folder = join(data, "redis");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const binary = await redisBinary(resolve(data, "../.runtime"), report);
  const password = keptSecret(join(data, "redis.password"));
  const port = await freePort();
  // A file, because arguments are for everybody on the machine to see.
  writeFileSync(join(folder, "redis.conf"), configuration(port, password), { mode: 0o600 });
  const url = `redis://:${password}@127.0.0.1:${port}`;
  const server: Server = { binary, folder, logFile: join(data, "redis.log"), url };
  const { stop } = await supervise({ name: "redis", launch: () => launch(server), report });
  return { url, stop };
}

/** The append-only file is all it keeps on disk; noeviction because a queue may not forget a job. */
function configuration(port: number, password: string): string {
  return [
    "bind 127.0.0.1",
    `port ${port}`,
    `requirepass ${password}`,
    "appendonly yes",
    'save ""',
    "maxmemory-policy noeviction",
    "pidfile redis.pid",
    "",
  ].join("\n");
}

async function launch({ binary, folder, logFile, url }: Server): Promise<Life<void>> {
  await endOrphan(join(folder, "redis.pid"), folder, "SIGTERM");
  const { path, env } = binary;
  const command = [path, "redis.conf"];
  return launchServer("Redis", { command, cwd: folder, env, logFile, stopSignal: "TERM" }, () => pings(url));
}

/** Whether the server answers; not while it loads its data. */
async function pings(url: string): Promise<boolean> {
  const client = new RedisClient(url, { autoReconnect: false, connectionTimeout: 2_000 });
  try {
    return (await client.ping()) === "PONG";
  } catch {
    return false;
  } finally {
    client.close();
  }
}
