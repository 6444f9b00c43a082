import { percentile } from "../../../support/flood.ts";
import { connectRaw, type RawConnection } from "../../../support/raw.ts";

/** Sends a fixed number of requests a second regardless of earlier ones, as a crowd does and no closed loop can. */
export type OpenLoad = Readonly<{
  port: number;
  perSecond: number;
  warmUpSeconds: number;
  seconds: number;
  /** Each connection carries one request at a time. */
  connections: number;
  requests: readonly string[];
}>;

export type Offered = Readonly<{
  /** Per second of the measured time. */
  sent: number;
  carried: number;
  refused: number;
  /** Latency in milliseconds of what was carried, and of what was refused. */
  carriedP99: number;
  refusedP99: number;
  /** Requests that found no free connection, and answers that were neither. */
  unsent: number;
  other: number;
  /** The delay of the generator itself; milliseconds. */
  lagP99: number;
}>;

async function offer(load: OpenLoad): Promise<Offered> {
  const { port, perSecond, warmUpSeconds, seconds, connections, requests } = load;
  const idle: RawConnection[] = [];
  for (let n = 0; n < connections; n++) idle.push(await connectRaw(port));
  const carried: number[] = [];
  const refused: number[] = [];
  const lags: number[] = [];
  let [sent, unsent, other, taken] = [0, 0, 0, 0];
  const start = performance.now();
  const measuredFrom = start + warmUpSeconds * 1_000;
  const end = measuredFrom + seconds * 1_000;
  const measured = (time: number) => time >= measuredFrom && time < end;

  async function send(connection: RawConnection, sentAt: number): Promise<void> {
    const status = await connection.exchange(requests[taken % requests.length] ?? "");
    const answeredAt = performance.now();
    idle.push(connection.isOpen() ? connection : await connectRaw(port));
    if (!measured(answeredAt)) return;
    if (status === 201) carried.push(answeredAt - sentAt);
    else if (status === 503) refused.push(answeredAt - sentAt);
    else other += 1;
  }

  for (let now = start; now < end; now = performance.now()) {
    const due = Math.floor(((now - start) / 1_000) * perSecond);
    for (; taken < due; taken++) {
      const connection = idle.pop();
      if (measured(now)) connection ? sent++ : unsent++;
      if (connection) void send(connection, now);
    }
    await Bun.sleep(1);
    lags.push(performance.now() - now);
  }
  await Bun.sleep(200);
  return {
    sent: sent / seconds,
    carried: carried.length / seconds,
    refused: refused.length / seconds,
    carriedP99: percentile(carried, 0.99),
    refusedP99: percentile(refused, 0.99),
    unsent: unsent / seconds,
    other: other / seconds,
    lagP99: percentile(lags, 0.99),
  };
}

if (import.meta.main) {
  const load = (await Bun.stdin.json()) as OpenLoad;
  process.send?.(await offer(load));
  process.exit();
}
