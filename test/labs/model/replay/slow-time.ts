import { Pool } from "pg";

const slowness = 10;

export type SlowTime = Awaited<ReturnType<typeof slowTime>>;

/** PostgreSQL's clock is ahead, because slow time must not fall behind what is stored by `now()`. */
const slowClock = (database: string) => `
  create schema slow;
  create table slow.clock as select clock_timestamp() as began, interval '2 minutes' as ahead;
  create function slow.clock_timestamp() returns timestamptz language sql volatile as
    'select began + ahead + (pg_catalog.clock_timestamp() - began) / ${slowness} from slow.clock';
  grant usage on schema slow to public;
  grant select on slow.clock to public;
  alter database ${database} set search_path = slow, pg_catalog, public`;

/**
 * From now on a tenth of the time passes, for this process and for PostgreSQL, so that nothing is late before a trace
 * says so. Workers see the first age by PostgreSQL's clock, and doors the second one by their own.
 */
export async function slowTime(databaseUrl: string) {
  const pool = new Pool({ connectionString: databaseUrl, max: 1 });
  await pool.query(slowClock(new URL(databaseUrl).pathname.slice(1)));
  const now = performance.now.bind(performance);
  const beganAt = now();
  let aheadMs = 0;
  let isLate = false;
  performance.now = () => beganAt + aheadMs + (now() - beganAt) / slowness;
  const moveServer = (ms: number) =>
    pool.query("update slow.clock set ahead = ahead + $1 * interval '1 ms'", [ms]);

  /** Brings a command to the next age of the model: late for a worker, then over for its caller. */
  async function older(): Promise<void> {
    await moveServer(isLate ? 300 : 1_200);
    if (isLate) aheadMs += 1_500;
    isLate = !isLate;
  }
  return {
    older,
    /** Ends a trace: what follows is sent at one time of both clocks. */
    async even(): Promise<void> {
      if (isLate) await older();
    },
    async stop(): Promise<void> {
      performance.now = now;
      await pool.end();
    },
  };
}
