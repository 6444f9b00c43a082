import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { RedisClient } from "bun";
import { spawnGuarded } from "../../../shared/embedded/servers/guard.ts";
import { freePort } from "../../../shared/embedded/servers/port.ts";
import { redisBinary } from "../../../shared/embedded/servers/redis.ts";
import { descendants } from "../chaos/descendants.ts";

/** One Redis process of a group. Nothing restarts it. */
export type RedisNode = Awaited<ReturnType<typeof startRedisNode>>;

/** Starts a Redis in a folder of its own: with `sentinel` one that watches others. */
export async function startRedisNode(
  folder: string,
  lines: readonly string[] = [],
  { sentinel = false } = {},
) {
  const data = resolve(folder);
  mkdirSync(data, { recursive: true });
  const { path, env } = await redisBinary(resolve(join(import.meta.dir, "../../../.runtime")), () => {});
  const port = await freePort();
  const common = ["bind 127.0.0.1", `port ${port}`, 'save ""', "enable-debug-command yes"];
  const configuration = sentinel ? common.slice(0, 2) : [...common, "repl-diskless-sync-delay 0"];
  const file = join(data, "redis.conf");
  writeFileSync(file, `${[...configuration, ...lines].join("\n")}\n`);
  const command = [path, file, ...(sentinel ? ["--sentinel"] : [])];
  const server = spawnGuarded({ command, cwd: data, env, logFile: join(data, "log"), stopSignal: "TERM" });
  const send = async (...[name = "", ...args]: string[]) => {
    const client = new RedisClient(`redis://127.0.0.1:${port}`, {
      autoReconnect: false,
      connectionTimeout: 2_000,
    });
    try {
      return await client.send(name, args);
    } finally {
      client.close();
    }
  };
  while ((await send("PING").catch(() => "")) !== "PONG") await Bun.sleep(50);
  const signal = (name: NodeJS.Signals) => {
    const running = descendants().find(({ command }) => command.includes(`:${port}`));
    if (!running) throw new Error("This Redis has ended.");
    process.kill(running.pid, name);
  };
  return {
    port,
    address: `127.0.0.1:${port}`,
    send,
    async kill(): Promise<void> {
      signal("SIGKILL");
      await server.exited;
    },
    freeze: () => signal("SIGSTOP"),
  };
}
