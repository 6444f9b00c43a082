import { connect, createServer, type Socket } from "node:net";

const checkEveryMs = 250;
const failuresUntilOut = 2;
const patienceMs = 1_000;

/**
 * A load balancer like those of clouds and Kubernetes: it leads each connection to the next healthy process, by the
 * answers of its health check, and sends nothing twice.
 * @param ports of processes on this machine, which may start later
 */
export async function startBalancer(ports: readonly number[]) {
  const failures = new Map(ports.map((port) => [port, failuresUntilOut]));
  const isHealthy = (port: number) => (failures.get(port) ?? 0) < failuresUntilOut;
  let turn = 0;
  let over = false;

  async function watch(port: number): Promise<void> {
    while (!over) {
      const answer = await fetch(`http://127.0.0.1:${port}/health/accepting`, {
        keepalive: false,
        signal: AbortSignal.timeout(patienceMs),
      }).catch(() => undefined);
      failures.set(port, answer?.status === 200 ? 0 : (failures.get(port) ?? 0) + 1);
      await Bun.sleep(checkEveryMs);
    }
  }

  const server = createServer((client) => {
    const healthy = ports.filter(isHealthy);
    const port = healthy[turn++ % healthy.length];
    if (port === undefined) client.destroy();
    else join(client, connect(port, "127.0.0.1"));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const watching = Promise.all(ports.map(watch));
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    /** Resolves when all processes count as healthy. */
    async allHealthy() {
      while (!ports.every(isHealthy)) await Bun.sleep(checkEveryMs);
    },
    async stop() {
      over = true;
      server.close();
      await watching;
    },
  };
}

function join(one: Socket, other: Socket): void {
  one.pipe(other).pipe(one);
  one.on("error", () => other.destroy());
  other.on("error", () => one.destroy());
}
