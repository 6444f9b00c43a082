import { afterAll, expect, test } from "bun:test";
import { bringUp } from "../../../workers/upkeep/migrate.ts";
import { openEmptyDatabase } from "../../support/empty-database.ts";

const database = await openEmptyDatabase();
afterAll(() => database.close());
const { pool } = database;

/** A command id as a front door made it that long ago. */
const idFrom = (minutesAgo: number) => Bun.randomUUIDv7("hex", Date.now() - minutesAgo * 60_000);

test("replies and calls that are still needed move into the partitions, whatever their times", async () => {
  await bringUp(database, { to: "20261124-replies" });
  const replies = [
    { id: idFrom(1), key: "", ago: "1 minute" },
    { id: idFrom(29), key: "", ago: "28 minutes" },
    { id: idFrom(300), key: "", ago: "2 minutes" },
    { id: idFrom(90), key: "", ago: "90 minutes" },
    { id: crypto.randomUUID(), key: "fingerprint", ago: "23 hours" },
    { id: crypto.randomUUID(), key: "fingerprint", ago: "25 hours" },
  ];
  for (const { id, key, ago } of replies)
    await pool.query(`insert into inbox values ('ada', $1, $2, '{"body":1}', now() - $3::interval)`, [
      id,
      key,
      ago,
    ]);
  for (const ago of ["0", "40 days", "399 days", "5 years", "-90 days"])
    await pool.query(
      `insert into action_log (user_id, request_id, token_id, tool, arguments, outcome, replayed, called_at, duration_ms)
       values ('ada', gen_random_uuid(), 't', 'x', '{}', 'ok', false, now() - $1::interval, 1)`,
      [ago],
    );
  await bringUp(database);
  const kept = await pool.query("select command_id, keyed from inbox order by command_id");
  const wanted = [0, 1, 2, 4].map((index) => ({ command_id: replies[index]?.id, keyed: index === 4 }));
  expect(kept.rows).toEqual(
    wanted.toSorted((one, other) => ((one.command_id ?? "") < (other.command_id ?? "") ? -1 : 1)),
  );
  const calls = await pool.query("select count(*)::int as rows, sum(calls)::int as calls from action_log");
  expect(calls.rows).toEqual([{ rows: 5, calls: 5 }]);
  const partitions = await pool.query("select count(*)::int as count from list_partitions('action_log')");
  expect(partitions.rows[0].count).toBeWithin(15, 19);
});
