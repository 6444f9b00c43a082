import { expect, test } from "bun:test";
import pino from "pino";
import { startStack } from "../../harness.ts";
import { agent } from "../../support/mcp.ts";

const lines: string[] = [];
const log = pino({ level: "info" }, { write: (line: string) => lines.push(line) });
const { rest, issuer, config, sql } = await startStack({ log });

/** The most text that a user can have: a search of it exceeds the time limit. */
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
  expect([...statuses].filter((status) => status !== 422 && status !== 503)).toEqual([]);
  expect(await searchesUnderWay()).toBe(0);
});

test("a search that was stopped says to narrow it, no log calls it an outage, and a narrower one is answered", async () => {
  const token = await issuer.token({ sub: "hoarder" });
  const { status, body } = await rest("GET", "/todos?q=curtains", { token });
  expect([status, body.errors?.q?.[0]]).toEqual([422, expect.stringContaining("Narrow it")]);
  const { call } = await agent({ config, issuer }, { sub: "hoarder" });
  const tool = await call("get-pending-todos", { query: "curtains" });
  expect(tool.facts).toMatchObject({ code: "invalid", message: expect.stringContaining("Narrow it") });
  expect(lines.filter((line) => /"level":[456]0/.test(line))).toEqual([]);
  expect((await rest("GET", "/todos?q=curtains&context=phone", { token })).status).toBe(200);
});

/** The searches that PostgreSQL is running: all other statements take less time. */
async function searchesUnderWay(): Promise<number> {
  const [row] = await sql`
    select count(*)::int as count from pg_stat_activity
    where datname = current_database() and state = 'active'
      and clock_timestamp() - query_start > interval '100 ms' and pid <> pg_backend_pid()`;
  return row.count;
}
