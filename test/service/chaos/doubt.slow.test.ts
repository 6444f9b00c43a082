import { expect, test } from "bun:test";
import { startWorld } from "../../support/chaos/world.ts";
import { eventually } from "../../support/reminder/stack.ts";

const { gates, call, sql } = await startWorld("doubt");

const reload = async (statement: string) => {
  await sql.unsafe(statement);
  await sql`select pg_reload_conf()`;
  await Bun.sleep(200);
};

/** COMMIT was sent and waits for the standby. */
async function isCommitHeld(): Promise<boolean> {
  const [row] = await sql`select count(*)::int as held from pg_stat_activity where wait_event = 'SyncRep'`;
  return row.held > 0;
}

// A standby that never confirms holds every commit open, as a slow disk or a failover would.
for (const pause of [0, 300])
  test(`a commit whose connection is cut after it was held for ${pause} ms is never told as not applied`, async () => {
    const { body } = await call("POST", "/todos", { body: { title: "In doubt" } });
    await reload("alter system set synchronous_standby_names = 'nobody'");
    const toggle = call("POST", `/todos/${body.id}/toggle`, { body: { is_completed: true } });
    await eventually(isCommitHeld, 5_000);
    await Bun.sleep(pause);
    gates.postgres.shut();
    gates.postgres.open();
    const { status, body: answer } = await toggle;
    await reload("alter system reset synchronous_standby_names");
    const read = async () => (await call("GET", `/todos/${body.id}`)).body.is_completed;
    for (let looks = 0; looks < 50 && !(await read()); looks++) await Bun.sleep(50);
    expect(await read()).toBe(true);
    if (status !== 200) expect([status, answer.applied]).toEqual([503, "unknown"]);
  }, 20_000);
