import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { RedisClient } from "bun";
import { saysAnything } from "../signs-of-life.ts";
import type { GuardedCommand } from "./guard.ts";
import { endOrphan } from "./orphan.ts";
import { onFreePort } from "./port.ts";
import { persistentSecret } from "./postgres.ts";
import { type RedisBinary, redisBinary } from "./redis-binary.ts";
import { launchServer } from "./server.ts";
import { type Life, supervise } from "./supervisor.ts";

type Server = Readonly<{
  binary: RedisBinary;
  folder: string;
  logFile: string;
  url: string;
  isAlive: (() => Promise<boolean>) | undefined;
}>;

/**
 * Starts a private Redis with its data in `dataDir`/redis and restarts it on the same port when it dies. It ends with
 * this process, even after kill -9. A fetched Redis is stored in `.runtime` beside `dataDir`.
 * @throws when none is available or it cannot start; its messages are in `dataDir`/redis.log.
 */
export async function startRedis(
  dataDir: string,
  report: (line: string) => void = () => {},
  { endsHanging = false }: Readonly<{ endsHanging?: boolean }> = {},
): Promise<{ url: string; stop(): Promise<void> }> {
  const data = resolve(dataDir);
  const folder = join(data, "redis");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const binary = await redisBinary(resolve(data, "../.runtime"), report);
  const password = persistentSecret(join(data, "redis.password"));
  return onFreePort(async (port) => {
    // The password is in a file, because every user of the machine can see a program's arguments.
    writeFileSync(join(folder, "redis.conf"), configuration(port, password), { mode: 0o600 });
    const url = `redis://:${password}@127.0.0.1:${port}`;
    const isAlive = endsHanging ? () => saysAnything(port, "PING\r\n") : undefined;
    const server: Server = { binary, folder, logFile: join(data, "redis.log"), url, isAlive };
    const { stop } = await supervise({ name: "redis", launch: () => launch(server), report });
    return { url, stop };
  });
}

/** Only the append-only file is on disk. A queue must not lose a job, hence noeviction. */
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

async function launch({ binary, folder, logFile, url, isAlive }: Server): Promise<Life<void>> {
  await endOrphan(join(folder, "redis.pid"), folder, "SIGTERM");
  const { path, env } = binary;
  const command: GuardedCommand = {
    command: [path, "redis.conf"],
    cwd: folder,
    env,
    logFile,
    stopSignal: "TERM",
  };
  return launchServer("Redis", command, () => pings(url), { isAlive });
}

/** True if the server answers; it does not while it loads its data. */
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
