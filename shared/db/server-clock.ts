import type { Pool } from "pg";

/** PostgreSQL's clock, followed from here: what processes compare times by, since no two hosts' clocks agree. */
export type ServerClock = Readonly<{
  /** Epoch ms; by the host's clock until PostgreSQL has answered once. */
  now(): number;
  /** Whether PostgreSQL has answered. */
  known(): boolean;
  close(): void;
}>;

const intervalMs = 1_000;

/**
 * Asks PostgreSQL for its time now and once a second, and counts on by this process's monotonic clock: a step of
 * the host's clock changes nothing. An answer that fails is not missed; the next one comes.
 */
export async function openServerClock(pool: Pick<Pool, "query">): Promise<ServerClock> {
  let offset: number | undefined;
  let next: ReturnType<typeof setTimeout> | undefined;
  let closed = false;

  async function ask(): Promise<void> {
    const asked = performance.now();
    const { rows } = await pool.query<{ ms: string }>(
      "select extract(epoch from clock_timestamp()) * 1000 as ms",
    );
    const server = Number(rows[0]?.ms);
    offset = follow(offset, server - performance.now(), server - asked);
  }

  async function keepAsking(): Promise<void> {
    await ask().catch(() => {});
    if (!closed) next = setTimeout(keepAsking, intervalMs).unref();
  }

  await keepAsking();
  return {
    now: () => Math.floor(offset === undefined ? Date.now() : performance.now() + offset),
    known: () => offset !== undefined,
    close() {
      closed = true;
      clearTimeout(next);
    },
  };
}

/**
 * The server looked at its clock between question and answer, so the offset lies between these two. What was
 * known stays while it does: a slow answer on a busy host says little, and is not to disturb it.
 */
function follow(known: number | undefined, least: number, most: number): number {
  return known !== undefined && known >= least && known <= most ? known : (least + most) / 2;
}
