import { afterAll, expect, test } from "bun:test";
import { readActions } from "../../../api/queries/action/read.ts";
import { readRuns } from "../../../api/queries/action/runs.ts";
import { createQueryContext, openQueryDatabase } from "../../../api/queries/engine/context.ts";
import { openDatabase } from "../../../shared/db/orm.ts";
import { createLog } from "../../../shared/process/observe/log.ts";
import { createDatabase } from "../../harness.ts";
import { type Asked, readsOf } from "../../support/plans.ts";

const url = await createDatabase();
const log = createLog("test", "error");
const database = await openDatabase({ url, log, connections: 2 });
const filling = await openDatabase({ url, log, connections: 1, purpose: "migrations" });
afterAll(() => Promise.all([database.close(), filling.close()]));

const [alone, together] = ["todo/1", "todo/2"];

/** A log in which one todo was changed each time, and another each hundredth time together with others. */
async function someone(userId: string, rows: number) {
  await filling.pool.query(
    `insert into action_log (user_id, request_id, called_at, door, token_id, tool, arguments, outcome, resource_kind,
       resource_id, others, before, after, replayed, calls, duration_ms)
     select $1, gen_random_uuid(), now() - n * interval '1 second', 'mcp', 't', 'update-todo', '{}', 'ok',
       case when n % 100 <> 0 then 'todo' end, case when n % 100 <> 0 then 1 end,
       case when n % 100 = 0 then array['todo/1', 'todo/2', 'todo/' || n] end,
       '{"todos/1":{"title":"Old"}}', '{"todos/1":{"title":"New"}}', false, 1, 1
     from generate_series(1, $2::int) n`,
    [userId, rows],
  );
  const asked: Asked[] = [];
  const db = openQueryDatabase(database);
  const run: typeof db.run = (key, statement, manner) => {
    asked.push(statement);
    return db.run(key, statement, manner);
  };
  const settings = { now: Date.now(), defaultTimeZone: "UTC", baseUrl: "http://kept.test" };
  const query = createQueryContext({ db: { run }, userId, ...settings });
  const page = (thing: string, cursor?: string) =>
    readActions(query, { thing, kinds: ["change", "refusal"], limit: 50, ...(cursor && { cursor }) });
  const runs = () => readRuns(query, { kinds: ["change", "refusal"] }, 50);
  return { page, runs, asked };
}

const few = await someone("few", 1_000);
const many = await someone("many", 100_000);
await filling.pool.query("analyze action_log");

test.each([[alone], [together]])("the history of %s is whole, page by page", async (thing) => {
  const seen = new Set<string>();
  for (let cursor: string | undefined; ; ) {
    const { actions, next_cursor } = await few.page(thing, cursor);
    for (const { called_at, request_id } of actions) seen.add(`${called_at} ${request_id}`);
    const times = actions.map(({ called_at }) => called_at);
    expect(times).toEqual(times.toSorted().toReversed());
    if (next_cursor === null) break;
    cursor = next_cursor;
  }
  expect(seen.size).toBe(thing === alone ? 1_000 : 10);
});

test("a page of a thing's history reads no more where the log is a hundred times as long", async () => {
  for (const { page, asked } of [few, many]) {
    asked.length = 0;
    const { next_cursor } = await page(alone);
    await page(alone, next_cursor ?? undefined);
    expect(asked).toHaveLength(2);
  }
  for (const statement of many.asked) {
    const { rows } = await readsOf(database.pool, statement);
    // Things that changed together are found by each of them, and are few.
    expect(rows).toBeLessThan(60 + 2 * 1_000 + 51);
  }
});

test("the first page of Actions reads at most twice as much where the log is a hundred times as long", async () => {
  const read = async ({ runs, asked }: typeof few) => {
    asked.length = 0;
    const { entries } = await runs();
    expect(entries.flat()).toHaveLength(1_000);
    const all = await Promise.all(asked.map((statement) => readsOf(database.pool, statement)));
    return all.reduce((sum, { rows }) => sum + rows, 0);
  };
  expect(await read(many)).toBeLessThanOrEqual(2 * (await read(few)));
});
