import { afterAll, expect, test } from "bun:test";
import { SQL } from "bun";
import { readSchema } from "../../../shared/db/schema-guard.ts";
import { bringUp, listMigrations } from "../../../workers/upkeep/migrate.ts";
import { openEmptyDatabase } from "../../support/empty-database.ts";
import { smallMigrations } from "../../support/small-migrations.ts";

const database = await openEmptyDatabase();
const clients = Array.from({ length: 10 }, (_, user) => ({
  user: String(user),
  sql: new SQL(database.url, { max: 1, connection: { application_name: "kept-writes" } }),
}));
afterAll(async () => {
  await Promise.all(clients.map(({ sql }) => sql.close()));
  await database.close();
});

const [todos, perUser] = [100_000, 1_000];
const people = `
  insert into users (user_id, time_zone, zone_source, day_start_hour, created_at, updated_at)
  select n::text, 'UTC', 'chosen', 0, now(), now() from generate_series(0, ${todos / perUser - 1}) n`;
const things = `
  insert into todos (user_id, id, title, context, due_date, is_completed, recurrence_from, created_at, updated_at)
  select (n / ${perUser})::text, n, 'Pay', 'desk', current_date + n % 9, n % 5 = 0, 'due', now(), now()
  from generate_series(0, ${todos - 1}) n`;

test("ten clients read and write through migrations of each kind, and none is refused for longer than a second", async () => {
  await bringUp(database);
  for (const text of [people, things, "analyze"]) await database.pool.query(text);
  let isDone = false;
  const busy = clients.map(async (client) => {
    const turns: number[] = [];
    while (!isDone) {
      turns.push(await turn(client, todos + turns.length * clients.length + Number(client.user)));
      await Bun.sleep(5);
    }
    return turns;
  });
  await bringUp(database, listMigrations(database, smallMigrations)).finally(() => {
    isDone = true;
  });
  const turns = (await Promise.all(busy)).flat();
  expect((await readSchema(database.pool)).applied).toHaveLength(3);
  const { rows } = await database.pool.query("select count(*)::int as count from todos");
  expect(rows[0].count).toBe(todos + turns.length);
  expect(turns.length).toBeGreaterThan(100);
  expect(Math.max(...turns)).toBeLessThan(1_000);
});

/** A change and a list, tried until they succeed. @returns the time that it took in all */
async function turn({ user, sql }: (typeof clients)[number], id: number): Promise<number> {
  const begun = performance.now();
  const isWritten = () => sql.begin((transaction) => write(transaction, user, id)).then(() => true);
  while (!(await isWritten().catch(() => false))) await Bun.sleep(5);
  const isRead = () => list(sql, user).then(() => true);
  while (!(await isRead().catch(() => false))) await Bun.sleep(5);
  return performance.now() - begun;
}

/** Locks and timeouts are those of a worker; what was committed unnoticed is not written again. */
async function write(sql: SQL, user: string, id: number): Promise<void> {
  await sql`set local lock_timeout = '100ms'`;
  await sql`select user_id from users where user_id = ${user} for update`;
  await sql`
    insert into todos (user_id, id, title, is_completed, recurrence_from, created_at, updated_at)
    values (${user}, ${id}, 'Written', false, 'due', now(), now()) on conflict do nothing`;
  await sql`update todos set title = 'Changed' where user_id = ${user} and id = ${id}`;
}

const list = (sql: SQL, user: string) => sql`
  select t.*, u.time_zone from todos t join users u on u.user_id = t.user_id
  where t.user_id = ${user} and not t.is_completed order by t.due_date, t.id limit 15`;
