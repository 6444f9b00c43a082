import type { Pool } from "pg";

/** PostgreSQL's clock as this process follows it. Processes compare times by it, since no two hosts' clocks agree. */
export type ServerClock = Readonly<Awaited<ReturnType<typeof openServerClock>>>;

const intervalMs = 1_000;

/**
 * Asks PostgreSQL for its time now and then once a second. In between it counts on by this process's monotonic clock,
 * so a step of the host's clock changes nothing. A question that fails is ignored, because the next one follows.
 */
export async function openServerClock(pool: Pick<Pool, "query">) {
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
    /** Epoch ms. It is the host's time until PostgreSQL has answered once. */
    now: () => Math.floor(offset === undefined ? Date.now() : performance.now() + offset),
    known: () => offset !== undefined,
    close() {
      closed = true;
      clearTimeout(next);
    },
  };
}

/**
 * PostgreSQL read its clock between question and answer, so the offset lies between `least` and `most`. A known offset
 * within these bounds is retained, because a slow answer on a busy host would only make it less exact.
 */
function follow(known: number | undefined, least: number, most: number): number {
  return known !== undefined && known >= least && known <= most ? known : (least + most) / 2;
}
