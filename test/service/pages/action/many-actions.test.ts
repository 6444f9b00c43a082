import { expect, mock, spyOn, test } from "bun:test";
import { exportedRows } from "../../../../api/doors/pages/action/list/filters.ts";
import { actionList } from "../../../../api/doors/pages/action/list/page.ts";
import { conflictsInWords } from "../../../../api/doors/pages/action/take-back/undo.ts";
import { readLaterChanges } from "../../../../api/queries/action/later-changes.ts";
import { markup } from "../../../../shared/html.ts";
import { useStack } from "../../../harness.ts";
import { loggedRow } from "../../../support/pages/logged-row.ts";
import { openReads } from "../../../support/reads.ts";

const { config } = await useStack();
// Its rows of megabytes take a slow disk longer than reads may take.
const { database, readerOf } = await openReads(config.databaseUrl, { connections: 2, purpose: "checks" });

/** The row of a call that moved 25 todos. */
function rowOfMany() {
  const names = Array.from({ length: 25 }, (_, n) => `todos/${n + 1}`);
  const images = (title: string, due_date: string) =>
    JSON.stringify(Object.fromEntries(names.map((name) => [name, { title, due_date }])));
  return { before: images("Old", "2026-11-20"), after: images("New", "2027-11-20") };
}

/** Fills a person's log with calls that moved 25 todos. */
async function logMany(userId: string, calls: number): Promise<void> {
  const { before, after } = rowOfMany();
  await database.pool.query(
    `insert into action_log (user_id, request_id, called_at, door, token_id, tool, arguments, outcome, before, after, replayed, calls, duration_ms)
     select $1, gen_random_uuid(), now() - n * interval '1 second', 'rest', 't', 'todo.update', '{}', 'ok', $2, $3, false, 1, 1
     from generate_series(1, $4::int) n`,
    [userId, before, after, calls],
  );
}

/** The number of calls so far; each look at the clock advances time by 5 ms. */
async function callsOf(act: () => Promise<void>) {
  let now = performance.now();
  const clock = spyOn(performance, "now").mockImplementation(() => (now += 5));
  const [sleeps, localDates] = [spyOn(Bun, "sleep"), spyOn(Date.prototype, "toLocaleDateString")];
  const formats = spyOn(Intl, "DateTimeFormat");
  await act();
  const givenWay = sleeps.mock.calls.filter(([ms]) => ms === 0).length;
  const made = localDates.mock.calls.length + formats.mock.calls.length;
  for (const one of [clock, sleeps, localDates, formats]) one.mockRestore();
  mock.restore();
  return { givenWay, formatsMade: made };
}

test("a file of many changes lets others go on between its rows, and makes no format of dates for each", async () => {
  const query = readerOf("export");
  await logMany("export", 60);
  const told: unknown[] = [];
  const { givenWay, formatsMade } = await callsOf(async () => {
    for await (const rows of exportedRows(query, { filters: {}, timeZone: "UTC" })) told.push(...rows);
  });
  expect(told).toHaveLength(60);
  expect(JSON.stringify(told[0])).toContain("Sat 20 Nov 2027");
  expect(givenWay).toBeGreaterThanOrEqual(60);
  expect(formatsMade).toBeLessThan(60);
});

test("so does a page of the list", async () => {
  const entries = Array.from({ length: 50 }, () => loggedRow(rowOfMany()));
  const shown = { timeZone: "UTC", today: "2026-11-22", isFiltered: false, hasOlder: false };
  const listing = { ...shown, isNew: () => false, controls: () => undefined, names: new Map() };
  let page = "";
  const { givenWay, formatsMade } = await callsOf(async () => {
    page = markup(await actionList({ entries, reads: [], ...listing }));
  });
  expect(page.match(/<li class="card"/g)).toHaveLength(50);
  expect(givenWay).toBeGreaterThanOrEqual(50);
  expect(formatsMade).toBeLessThan(50);
});

test("who changed what since is found among many changes, each of which is read once", async () => {
  await logMany("explained", 600);
  const earlier = { called_at: "2026-11-01T00:00:00.000000Z", request_id: crypto.randomUUID() };
  const action = loggedRow({ ...earlier, before: rowOfMany().before });
  const query = readerOf("explained");
  const rows = Array.from({ length: 10 }, (_, n) => `todos/${n + 1}`);
  expect(await readLaterChanges(query, action, { rowNames: rows })).toHaveLength(500);
  const conflicts = rows.flatMap((row) =>
    [["title"], ["context", "description"]].map((fields) => ({ row, fields, why: "changed_since" as const })),
  );
  const conflicting = Array.from({ length: 20 }, () => ({ action, conflicts }));
  const parse = spyOn(JSON, "parse");
  const told = await conflictsInWords(query, conflicting, { names: new Map(), timeZone: "UTC" });
  const parsedBytes = parse.mock.calls.reduce((sum, [text]) => sum + text.length, 0);
  parse.mockRestore();
  expect(told.flat()).toHaveLength(220);
  const [title, others] = told[0] ?? [];
  expect([JSON.stringify(title), JSON.stringify(others)]).toEqual([
    expect.stringContaining("Token t"),
    expect.stringContaining("somebody changed that since"),
  ]);
  expect(parsedBytes).toBeLessThan(8_000_000);
});
