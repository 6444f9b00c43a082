import { expect, test } from "bun:test";
import { startStack } from "../../../harness.ts";
import { sessionOf } from "../../../support/pages/live-support.ts";
import { eventually } from "../../../support/reminder/stack.ts";

const stack = await startStack();
const { config, sql } = stack;

async function openAs(sub: string, address: string): Promise<Response> {
  const cookie = `kept_account=${await sessionOf(config, sub)}`;
  return fetch(`${config.baseUrl}/account${address}`, { headers: { cookie } });
}

const addresses = {
  "the list": "/actions",
  "a search": "/actions?q=rent",
  "what became of an undo": "/actions?note=2026-11-20T09:15:00.000000Z_00000000-0000-0000-0000-000000000000",
  "the page before a run": "/actions/run?token_id=t",
  "a run's progress": "/actions/run?token_id=t&to=2026-11-20T09:15:00Z&work=",
  "a file": "/actions/export?format=csv",
  "a form": "/todos/new",
};

test.each(Object.entries(addresses))(
  "%s waits for three reads of its person at a time, and the connections of others stay free",
  async (_, address) => {
    const token = await stack.issuer.token({ sub: crypto.randomUUID() });
    const table = address === "/todos/new" ? "categories" : "action_log";
    let most = 0;
    const isWaiting = async () => {
      const [row] = await sql`
        select count(*)::int as waiting from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and query like ${`%${table}%`}`;
      most = Math.max(most, row.waiting);
      return most > 0;
    };
    const pages: Promise<Response>[] = [];
    await sql.begin(async (held) => {
      await held.unsafe(`lock table ${table} in access exclusive mode`);
      for (let n = 0; n < 12; n++) pages.push(openAs("ada", address));
      await eventually(isWaiting);
      // More of them would wait soon after the first.
      for (let looks = 0; looks < 16; looks++) {
        await Bun.sleep(25);
        await isWaiting();
      }
      expect((await stack.rest("GET", "/me", { token })).status).toBe(200);
    });
    expect(most).toBeLessThanOrEqual(3);
    for (const page of await Promise.all(pages)) {
      expect([200, 503]).toContain(page.status);
      // The line of a file whose read failed meanwhile is cut.
      await page.body?.cancel().catch(() => {});
    }
  },
);

test("a run's changes are counted once at a time, however many of its pages are opened", async () => {
  await sql`
    insert into action_log (user_id, request_id, called_at, door, token_id, tool, arguments, outcome, replayed, calls, duration_ms)
    select 'grace', gen_random_uuid(), now() - n * interval '1 millisecond', 'mcp', 't', 'create-todo', '{}', 'ok', false, 1, 1
    from generate_series(1, 50000) n`;
  const to = new Date(Date.now() + 60_000).toISOString();
  const pages = Array.from({ length: 6 }, () => [
    openAs("grace", "/actions/run?token_id=t"),
    openAs("grace", `/actions/run?token_id=t&to=${to}&work=`),
  ]).flat();
  let isDone = false;
  const statuses = Promise.all(pages).then((all) => {
    isDone = true;
    return all.map(({ status }) => status);
  });
  let most = 0;
  while (!isDone) {
    const [row] = await sql`
      select count(*)::int as counting from pg_stat_activity
      where datname = current_database() and state = 'active' and query like '%as looked_at%' and pid <> pg_backend_pid()`;
    most = Math.max(most, row.counting);
    await Bun.sleep(2);
  }
  expect(new Set([200, 503, ...(await statuses)]).size).toBe(2);
  expect(most).toBe(1);
  // Changes may lie below the counted rows, so the page does not claim to know all of them.
  const text = async () => (await openAs("grace", `/actions/run?token_id=t&to=${to}&work=`)).text();
  await eventually(async () => (await text()).includes("of more than"));
});
