import { expect, test } from "bun:test";
import fc from "fast-check";
import { callLine } from "../../../../api/cli/action-log.ts";
import { actionList } from "../../../../api/doors/pages/action/list/page.ts";
import { readActions } from "../../../../api/queries/action/read.ts";
import { markup } from "../../../../shared/html.ts";
import { useStack } from "../../../harness.ts";
import { agent } from "../../../support/mcp.ts";
import { loggedRow, told } from "../../../support/pages/logged-row.ts";
import { openReads } from "../../../support/reads.ts";

const stack = await useStack();
const { readerOf } = await openReads(stack.config.databaseUrl);
const day = { timeZone: "UTC", today: new Date().toISOString().slice(0, 10) };
const list = { isFiltered: false, hasOlder: false, isNew: () => false, controls: () => undefined, reads: [] };
const shown = { ...day, ...list, names: new Map<string, string>() };

const inherited = Object.getOwnPropertyNames(Object.prototype);
const words = (text: string) => text.trim().split(/\s+/);
const toolNames =
  words(`resources/read get-today-habits get-pending-todos create-habit create-todo toggle-todo
  update-todo delete-todo complete-habit update-habit delete-habit`);
const argumentNames = words(`todo_id habit_id title name type description due_date clear uri remind_at
  estimated_minutes category_id todos todo_ids habit_ids dates skip_dates rename_category new_category date undo
  completed context overdue_only recurrence time_of_day done tried object`);

/** The words of a sentence outside quotation marks. */
const ownWords = (tool: string, text: string, ok: boolean): string =>
  told({ tool, arguments: text, outcome: ok ? "ok" : "invalid" }).replace(/<q>.*?<\/q>/gs, "");

test("whatever a call is, its sentence is Kept's: the caller's words stand in quotation marks", () => {
  const word = fc.constantFrom("EVIL", "done</q>EVIL", "EVIL\nEVIL", "2026-02-30EVIL", ...inherited);
  const value = fc.letrec((tie) => ({
    any: fc.oneof(
      word,
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie("any"), { maxLength: 5 }),
      fc.dictionary(fc.constantFrom("EVIL", "toString", "valueOf", ...inherited), tie("any"), { maxKeys: 4 }),
    ),
  })).any;
  const args = fc.dictionary(fc.constantFrom(...argumentNames, ...inherited), value, { maxKeys: 8 });
  const tool = fc.constantFrom(...toolNames, ...inherited, "EVIL");
  const call = fc.property(tool, args, fc.boolean(), (tool, args, ok) => {
    expect(ownWords(tool, JSON.stringify(args), ok)).not.toContain("EVIL");
  });
  fc.assert(call, { numRuns: 3_000 });
});

test("whatever is stored of a change, its sentence is Kept's, and there is one", () => {
  const value = fc.oneof(
    fc.constantFrom("EVIL", "a” EVIL “b", "2026-02-30EVIL", "2026-11-20", 7, -1, 1e300, true, null, ""),
    fc.constantFrom({ EVIL: "EVIL" }, ["EVIL"], { weekdays: ["EVIL"] }, { every_days: "EVIL" }, [], {}),
  );
  const columns = words(`title name due_date category_id frequency schedule is_completed completions_count
    longest_streak next_todo_id remind_at wall_time color recurrence estimated_minutes time_of_day grace_days type EVIL`);
  const image = fc.dictionary(fc.constantFrom(...columns, ...inherited), value, { maxKeys: 6 });
  const rows = words("todos/5 todos/6 reminders/5 habits/7 habit_completions/7/2026-11-20 categories/2");
  const oddRows = words("EVIL todos todos/EVIL habit_completions/7 habit_completions/7/EVIL");
  const images = fc.dictionary(fc.constantFrom(...rows, ...oddRows, ...inherited), image, { maxKeys: 5 });
  const stored = fc.oneof(
    fc.constantFrom(null, "", "{", "[]", "7", "null", `"EVIL"`, `[{"todos/5":"EVIL"},{}]`),
    images.map((all) => JSON.stringify(all)),
    images.map((all) => JSON.stringify([all, { bytes: 5_000, sha256: "0" }])),
  );
  const names = new Map([["categories/7", "EVIL"]]);
  const tools = fc.constantFrom(...toolNames, "habit.update");
  const row = fc.property(stored, stored, tools, (before, after, tool) => {
    const sentence = told({ tool, before, after }, names);
    expect(sentence.replace(/<q>.*?<\/q>/gs, "")).not.toContain("EVIL");
    expect(sentence).toMatch(/^[A-Z]/);
    expect(sentence).not.toMatch(/undefined|NaN|Invalid|object Object/);
  });
  fc.assert(row, { numRuns: 5_000 });
});

test("no tool, argument or value takes the page or the terminal, and the page stays small", async () => {
  const { call } = await agent(stack);
  const long = { todo_id: 1, clear: Array.from({ length: 16_000 }, () => "a") };
  const many = Object.fromEntries(Array.from({ length: 2_000 }, (_, n) => [`argument ${n}`, n]));
  const calls: [string, string][] = [
    ...inherited.flatMap((name): [string, string][] => [
      [name, "{}"],
      [name, `{"object":{"a":1},"done":"Looked at","tried":"delete nothing"}`],
      ["update-todo", `{"todo_id":1,"clear":["${name}",{"${name}":1,"toString":1,"valueOf":1}]}`],
      ["create-todo", `{"${name}":{"${name}":[]},"title":{"${name}":1}}`],
    ]),
    ["update-todo", JSON.stringify(long)],
    ["update-todo", JSON.stringify({ todo_id: 1, title: long.clear.slice(0, 1_000), ...many })],
    ["create-habit", JSON.stringify({ name: "\u{1F600}".repeat(15_000) })],
  ];
  for (const [tool, json] of calls) await call(tool, JSON.parse(json));
  const found = await readActions(readerOf(stack.sub), { limit: 200 });
  expect(found.actions).toHaveLength(calls.length);
  const page = markup(await actionList({ entries: found.actions, ...shown }));
  expect(page.match(/<li class="card"/g)).toHaveLength(calls.length);
  expect(page).not.toContain("cannot be described");
  expect(page.length).toBeLessThan(calls.length * 6_000);
  for (const action of found.actions) expect(callLine(action, shown).length).toBeLessThan(600);
});

test("calls over the limit are one row that tells their number, and a shortened call says what was sent", async () => {
  const row = loggedRow({
    client_name: "Script",
    tool: "create-todo",
    arguments: `[{"title":"Buy milk"},{"bytes":61234,"sha256":"${"0".repeat(64)}"}]`,
    outcome: "rate_limited",
    calls: 37,
  });
  const page = markup(await actionList({ entries: [row, { ...row, outcome: "ok", calls: 1 }], ...shown }));
  expect(page).toContain("37 calls refused: over the limit");
  expect(page).toContain("Created the todo <q><bdi>Buy milk</bdi></q>");
  expect(page).toContain("Shortened from 61234 bytes");
  expect(callLine(row, shown)).toContain("rate_limited (37 calls)");
  expect(callLine(row, shown)).toContain(`{"title":"Buy milk"} (shortened: 61234 bytes were sent)`);
});
