import { afterAll, expect, test } from "bun:test";
import { bringUp } from "../../../workers/upkeep/migrate.ts";
import { openEmptyDatabase } from "../../support/empty-database.ts";

async function twoIds(beforeUpgrade: string) {
  const database = await openEmptyDatabase();
  afterAll(() => database.close());
  await bringUp(database, { to: "20261124-replies" });
  await database.pool.query(beforeUpgrade);
  await bringUp(database);
  const { rows } = await database.pool.query(
    "select nextval('todos_id_seq')::int as id from generate_series(1, 2)",
  );
  return rows.map(({ id }: { id: number }) => id) as [number, number];
}

test("ids grow one by one", async () => {
  const [first, second] = await twoIds("select");
  expect(second - first).toBe(1);
});

test("in use, ids leave room for the hundred that a worker of an earlier release takes with one", async () => {
  const [first, second] = await twoIds(`
    insert into users (user_id, time_zone, zone_source, day_start_hour, created_at, updated_at)
    values ('ada', 'UTC', 'default', 0, now(), now())`);
  expect(second - first).toBe(100);
});
