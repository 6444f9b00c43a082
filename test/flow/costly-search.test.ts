import { afterAll, expect, test } from "bun:test";
import { SQL } from "bun";
import { startStack } from "../harness.ts";

// Registered before the stack's own, so that it runs first: the stack counts connections.
afterAll(() => sql.close());
const { rest, issuer, config } = await startStack();
const sql = new SQL(config.databaseUrl, { max: 1 });

/** As much text as a user can have: a search of it takes longer than anybody waits. */
const fill = `
  insert into todos (user_id, id, title, description, is_completed, recurrence_from, created_at, updated_at)
  select 'hoarder', n, 'Keep', repeat('Größe und Länge der Fenster messen. ', 135), false, 'due', now(), now()
  from generate_series(1, 50000) n`;

test("searches of a user who has too much to search are stopped, one at a time, and harm nobody", async () => {
  await sql.unsafe(fill);
  await sql.unsafe("analyze todos");
  const [hoarder, ada] = await Promise.all([issuer.token({ sub: "hoarder" }), issuer.token({ sub: "ada" })]);
  for (let n = 0; n < 20; n++) await rest("POST", "/todos", { token: ada, body: { title: `Call ${n}` } });
  const searches = Array.from({ length: 12 }, () => rest("GET", "/todos?q=curtains", { token: hoarder }));
  const running: number[] = [];
  for (let turn = 0; turn < 10; turn++) {
    const answers = await Promise.all([
      rest("GET", "/todos?q=call", { token: ada }),
      rest("GET", "/todos", { token: ada }),
    ]);
    expect(answers.map(({ status, body }) => [status, body.meta?.total])).toEqual(Array(2).fill([200, 20]));
    running.push(await searchesUnderWay());
    await Bun.sleep(50);
  }
  expect(Math.max(...running)).toBe(1);
  const statuses = new Set((await Promise.all(searches)).map(({ status }) => status));
  expect([...statuses]).toEqual([503]);
  expect(await searchesUnderWay()).toBe(0);
}, 120_000);

/** The searches that PostgreSQL works on at this moment. */
async function searchesUnderWay(): Promise<number> {
  const [row] = await sql`
    select count(*)::int as count from pg_stat_activity
    where datname = current_database() and state = 'active' and query like '%t.title ~%' and pid <> pg_backend_pid()`;
  return row.count;
}
