import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import fc from "fast-check";
import { Zip, ZipDeflate, zipSync } from "fflate";
import { collect, createChecker, isLeft } from "../../../../../../api/doors/pages/import/plan.ts";
import { csvRecords, csvRows } from "../../../../../../api/doors/pages/import/readers/fields.ts";
import type { TextFile } from "../../../../../../api/doors/pages/import/readers/found.ts";
import { readFiles, unzip } from "../../../../../../api/doors/pages/import/readers/read-files.ts";
import { readTodoistDate } from "../../../../../../api/doors/pages/import/readers/todoist.ts";

const context = { today: { date: "2026-11-22", timeZone: "Europe/Berlin" } };
const sample = async (name: string, as = name): Promise<TextFile> => ({
  name: as,
  text: await Bun.file(join(import.meta.dir, "samples", name)).text(),
});

function read(...files: TextFile[]) {
  const check = createChecker(context);
  const found = [...readFiles(files, context)].flatMap((one) => (isLeft(one) ? [one] : check(one)));
  const things = found.flatMap((one) => (isLeft(one) ? [] : [one]));
  const of = (kind: string) => things.filter((one) => one.kind === kind).map(({ thing }) => thing as never);
  return {
    categories: of("categories") as { name: string; key: string }[],
    habits: of("habits") as Record<string, unknown>[],
    histories: of("histories") as { habit: string; dates: string[]; sums: object[] | null }[],
    todos: of("todos") as Record<string, unknown>[],
    left: found.flatMap((one) => (isLeft(one) ? [`${one.name}: ${one.why}`] : [])),
  };
}

/** A file in the format of Kept's export. */
const keptFile = (lists: object): TextFile => ({
  name: "kept.json",
  text: JSON.stringify({ format: "kept-export", version: 1, ...lists }),
});

test("rows of CSV have quotes, commas and line ends in them", () => {
  const rows = (text: string) => [...csvRows(text)];
  expect(rows('\u{FEFF}a,"b, ""c""\r\nd"\r\n\r\n1,\n')).toEqual([
    ["a", 'b, "c"\r\nd'],
    ["1", ""],
  ]);
  expect(rows('a,"never closed')).toEqual([["a", "never closed"]]);
  expect(rows('a\nb\r\nc\rd,5" wide\n,\n"e" f')).toEqual([["a"], ["b"], ["c"], ["d", '5" wide'], ['"e" f']]);
  expect(rows("")).toEqual([]);
});

test.each([
  ["2026-12-05", "2026-12-05"],
  ["2026-12-05 15:30", "2026-12-05 15:30 afternoon"],
  ["Oct 5 2027", "2027-10-05"],
  ["5 Oct", "2027-10-05"],
  ["tomorrow at 7pm", "2026-11-23 19:00 evening"],
  ["friday", "2026-11-27"],
  ["every day", "2026-11-22", "FREQ=DAILY"],
  ["every other week", "2026-11-22", "FREQ=WEEKLY;INTERVAL=2"],
  ["every! 3 days", "2026-11-22", "FREQ=DAILY;INTERVAL=3", "completion"],
  ["every other mon", "2026-11-23", "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO"],
  ["every 3rd friday", "2026-12-18", "FREQ=MONTHLY;BYDAY=3FR"],
  ["tomorrow at 5:30", "2026-11-23 05:30 morning"],
  ["tomorrow, remind me at 7"],
  ["today for 30 min"],
  ["every mon, fri at 9am", "2026-11-23 09:00 morning", "FREQ=WEEKLY;BYDAY=MO,FR"],
  ["every weekday", "2026-11-23", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"],
  ["every 15th", "2026-12-15", "FREQ=MONTHLY;BYMONTHDAY=15"],
  ["every 24 dec", "2026-12-24", "FREQ=YEARLY;BYMONTHDAY=24;BYMONTH=12"],
  ["every month starting 2027-01-31", "2027-01-31", "FREQ=MONTHLY"],
  ["monthly", "2026-11-22", "FREQ=MONTHLY"],
  ["daily at 7pm", "2026-11-22 19:00 evening", "FREQ=DAILY"],
  ["every mondays", "2026-11-23", "FREQ=WEEKLY;BYDAY=MO"],
  ["month"],
  ["sunset"],
  ["2026-02-30"],
  ["when it is full"],
] as [string, string?, string?, string?][])(
  "Todoist's date %s",
  (written, due = "", rule = "", recurrence_from = "due") => {
    const [due_date, due_time = null, time_of_day = null] = due.split(" ");
    const expected = { due_date, due_time, time_of_day, recurrence: rule || null, recurrence_from };
    expect(readTodoistDate(written, "2026-11-22")).toEqual((due ? expected : undefined) as never);
  },
);

describe("a project of Todoist", () => {
  test("becomes todos in a category, with what Kept has no field for in their descriptions", async () => {
    const { categories, todos, left } = read(await sample("todoist.csv", "Garden [2203306141].csv"));
    expect(categories.map(({ name }) => name)).toEqual(["Garden"]);
    expect(todos.map(({ title }) => title)).toEqual([
      ...["Sow the beans", "Buy string", "Water the ferns", 'Say "thanks" to Ole', "Look at the moon"],
    ]);
    expect(todos[0]).toMatchObject({ due_date: "2026-12-05", context: "garden", estimated_minutes: 30 });
    expect(todos[0]?.description).toBe("Two rows, by the wall\nPriority: 1\nLabels: weekend");
    expect(todos[1]?.description).toBe("Part of: Sow the beans @garden @weekend\nNote: The green one");
    expect(todos[2]).toMatchObject({
      recurrence: "FREQ=WEEKLY;BYDAY=MO",
      due_date: "2026-11-23",
      time_of_day: "morning",
      description: "Section: Every week",
    });
    expect(todos[3]).toMatchObject({ recurrence: "FREQ=DAILY;INTERVAL=3", recurrence_from: "completion" });
    expect(todos[4]?.description).toContain("Date: when it is full");
    expect(left).toHaveLength(1);
  });

  test("gives its tasks the same keys each time, and two that are alike different ones", async () => {
    const file = { name: "a.csv", text: "TYPE,CONTENT\ntask,Buy milk\ntask,Buy milk\n" };
    const keys = read(file).todos.map(({ key }) => key);
    expect(new Set(keys).size).toBe(2);
    expect(read(file).todos.map(({ key }) => key)).toEqual(keys);
  });
});

test("Loop's tables become habits with the days that were done by hand", async () => {
  const [list, days] = [
    await sample("loop-habits.csv", "Habits.csv"),
    await sample("loop-checkmarks.csv", "Checkmarks.csv"),
  ];
  const { habits, histories, left } = read(list, days);
  const daysOf = (name: string) =>
    histories.find(({ habit }) => habit === habits.find((one) => one.name === name)?.key)?.dates;
  expect(habits.map(({ name, frequency, schedule }) => [name, frequency, schedule])).toEqual([
    ["Stretch, slowly", "daily", null],
    ["Swim", "custom", { times_per_week: 2 }],
    ["Read", "daily", null],
    ["Clean the windows", "custom", { every_days: 30 }],
  ]);
  expect(habits.map(({ name }) => daysOf(String(name)))).toEqual([
    ["2026-11-21", "2026-11-20"],
    ["2026-11-20"],
    ["2026-11-21", "2026-11-19"],
    ["2026-11-19"],
  ]);
  expect(habits.map(({ skips }) => skips)).toEqual([["2026-11-18"], [], [], []]);
  expect(habits.map(({ target, unit }) => `${target} ${unit}`)).toEqual([
    ...["null null", "null null", "20 pages", "null null"],
  ]);
  expect(habits[2]?.description).toBe("How many pages?");
  expect(histories.flatMap(({ sums }) => sums)).toEqual([
    { date: "2026-11-21", amount: 25, target: 20 },
    { date: "2026-11-20", amount: 19, target: 20 },
    { date: "2026-11-19", amount: 20, target: 20 },
  ]);
  expect(left).toEqual(["Old thing: It is archived in Loop."]);
  expect(read(list).left[0]).toContain("without their days");
});

test("amounts of Loop that Kept cannot count come as days that were done", () => {
  const head =
    "Position,Name,Type,FrequencyNumerator,FrequencyDenominator,Unit,Target Type,Target Value,Archived?";
  const list = `${head}\n1,Run,NUMERICAL,1,1,km,AT_LEAST,2.5,false\n2,Coffee,NUMERICAL,1,1,cups,AT_MOST,2,false\n`;
  const days = "Date,Run,Coffee,\n2026-11-21,3000,1000,\n2026-11-20,2000,3000,\n";
  const files = [
    { name: "Habits.csv", text: list },
    { name: "Checkmarks.csv", text: days },
  ];
  const { habits, histories } = read(...files);
  expect(habits.map(({ target, description }) => [target, description])).toEqual([
    [null, "Target: 2.5 km"],
    [null, "Target: 2 cups"],
  ]);
  expect(histories.map(({ dates, sums }) => [dates, sums])).toEqual([
    [["2026-11-21"], []],
    [["2026-11-21"], []],
  ]);
});

test("Loop's zip is unpacked as Android writes it, and one that grows without end is refused", async () => {
  const files = { "Habits.csv": "loop-habits.csv", "Checkmarks.csv": "loop-checkmarks.csv" };
  const chunks: Uint8Array[] = [];
  const zip = new Zip((_, chunk) => chunks.push(chunk));
  for (const [name, from] of Object.entries(files)) {
    // Written in one pass, so that sizes stand behind the content.
    const entry = new ZipDeflate(name);
    zip.add(entry);
    entry.push(new TextEncoder().encode((await sample(from)).text), true);
  }
  zip.end();
  const unpacked = unzip(Buffer.concat(chunks), 100_000);
  if (typeof unpacked === "string") throw new Error(unpacked);
  const texts = unpacked.map(({ name, bytes }) => ({ name, text: new TextDecoder().decode(bytes) }));
  expect(read(...texts).histories).toHaveLength(4);
  const bomb = zipSync({ "Habits.csv": new Uint8Array(50_000_000) });
  // Time of the processor, because other processes lengthen any other.
  const began = process.cpuUsage();
  expect(unzip(bomb, 100_000)).toBe("What this archive holds is too large.");
  expect(process.cpuUsage(began).user).toBeLessThan(1_000_000);
});

test("Habitica's user data become habits, todos and categories", async () => {
  const { categories, habits, histories, todos, left } = read(await sample("habitica.json"));
  expect(categories.map(({ name }) => name)).toEqual(["Health", "Home"]);
  expect(habits.map(({ name, type, frequency, schedule }) => [name, type, frequency, schedule])).toEqual([
    ["Take the stairs", "good", "daily", null],
    ["Smoke", "bad", "daily", null],
    ["Piano", "good", "custom", { weekdays: [1, 3, 5] }],
  ]);
  expect(histories.map(({ dates }) => dates)).toEqual([["2025-11-20"], ["2025-11-19"]]);
  expect(habits.map(({ target, unit }) => `${target} ${unit}`)).toEqual([
    "1 times",
    "null null",
    "null null",
  ]);
  expect(histories.map(({ sums }) => sums)).toEqual([[{ date: "2025-11-20", amount: 2, target: 1 }], null]);
  expect(todos[0]).toMatchObject({
    title: "Paint the fence",
    due_date: "2026-12-01",
    description: "[x] Buy paint\n[ ] Paint",
    category: categories[1]?.key,
  });
  expect(todos[1]).toMatchObject({ is_completed: true, completed_on: "2026-11-10" });
  expect(left.map((line) => line.split(":")[0])).toEqual(["Smoke", "Pay the rent", "Ice cream"]);
});

test("what Kept cannot have is told, and keeps nothing else from coming", () => {
  const long = "x".repeat(300);
  const todo = { id: 1, created_at: "2026-01-01T00:00:00Z", is_completed: false, recurrence_from: "due" };
  const todos = [
    { ...todo, title: long },
    { ...todo, id: 2, title: "a\u0000b" },
    { ...todo, id: 3, title: "Repeat", recurrence: "FREQ=SOMETIMES" },
    { ...todo, id: 4, title: "Fine", category_id: 77 },
    null,
  ];
  const found = read(keptFile({ todos }));
  expect(found.todos.map(({ title }) => title)).toEqual([`${"x".repeat(254)}…`, "Repeat", "Fine"]);
  expect(found.todos[0]?.description).toBe(long);
  expect(found.left).toHaveLength(3);
  expect(read(keptFile({ todos, version: 2 })).left[0]).toContain("newer Kept");
});

test("cells without a name, and columns without a row, are not kept", () => {
  const records = [...csvRecords(`type,content${",a".repeat(3_000)}${"\nx,y".repeat(3_000)}`)];
  expect(Math.max(...records.map((record) => record.size))).toBe(2);
});

test("of a file with more things than an account can have the first are looked at, and it is told", async () => {
  const tasks = (rows: string, count: number) => ({
    name: "Inbox.csv",
    text: `TYPE,CONTENT\n${rows.repeat(count)}`,
  });
  const many = collect([tasks("task,A\n", 60_001)], context);
  expect([many.found.length, many.leftCount]).toEqual([60_000, 1]);
  expect(many.left[0]?.why).toContain("their end was left out");
  const exactly = collect([tasks("task,A\n", 100)], context);
  expect([exactly.found.length, exactly.leftCount]).toEqual([100, 0]);
  const long = "x".repeat(9_000);
  const { found } = collect([tasks(`section,${long}\ntask,A\n`, 1), tasks("task,A\n", 100)], context);
  expect(JSON.stringify(found).length).toBeLessThan(100_000);
});

test("a history of more days than any habit has does not come", () => {
  const habits = [{ id: 1, name: "Swim", type: "good", frequency: "daily", grace_days: 1 }];
  const completions = Array.from({ length: 20_001 }, () => ({ habit_id: 1, date: "2026-01-01" }));
  const found = read(keptFile({ habits, completions }));
  expect([found.habits.length, found.histories.length]).toEqual([1, 0]);
  expect(found.left).toEqual([
    ": A habit comes without its days, because there are more than 20,000 of them.",
  ]);
});

test("things that are no text, where one is expected, are read like others", () => {
  const odd = { toString: 1 };
  const completions = [{ habit_id: odd }];
  const files = [keptFile({ completions }), keptFile({ completions, version: odd })];
  expect(files.map((file) => read(file).left)).toEqual([
    [": Completions of habits that are not in the file: 1."],
    ["Version unknown: This file was made by a newer Kept. Update this one first."],
  ]);
});

test("what is done today in Habitica is done today, in any zone", () => {
  const daily = { frequency: "daily", text: "Swim", completed: true };
  const text = JSON.stringify({ tasks: { dailys: [daily] } });
  for (const timeZone of ["Pacific/Kiritimati", "Pacific/Auckland", "America/Los_Angeles"]) {
    const today = { date: "2026-11-22", timeZone };
    const found = [...readFiles([{ name: "userdata.json", text }], { today })];
    const histories = found.flatMap((one) => (one.kind === "histories" ? [one.thing.dates] : []));
    expect(histories).toEqual([["2026-11-22"]]);
  }
});

test("dailies of somebody who rests in Habitica's inn come paused, and habits do not", () => {
  const tasks = {
    dailys: [{ frequency: "daily", text: "Swim" }],
    habits: [{ up: true, down: false, text: "Read" }],
  };
  const pausesOf = (preferences: object) => {
    const text = JSON.stringify({ tasks, preferences });
    const found = [...readFiles([{ name: "userdata.json", text }], context)];
    return found.flatMap((one) =>
      one.kind === "habits" ? [[one.thing.name, one.thing.paused_from ?? null]] : [],
    );
  };
  const none = { Read: null, Swim: null };
  expect(Object.fromEntries(pausesOf({ sleep: true }))).toEqual({ ...none, Swim: "2026-11-22" });
  expect(Object.fromEntries(pausesOf({ sleep: false }))).toEqual(none);
});

test("whatever bytes are sent, reading them ends without an error", async () => {
  const heads = ["", "TYPE,CONTENT,DATE\n", "Date,a,b\n", "Position,Name,NumRepetitions,Interval\n"];
  const text = fc.oneof(
    fc.uint8Array({ maxLength: 300 }).map((bytes) => new TextDecoder().decode(bytes)),
    fc
      .tuple(fc.constantFrom(...heads), fc.string({ unit: "binary", maxLength: 300 }))
      .map((two) => two.join("")),
    fc
      .json({ maxDepth: 4 })
      .map(
        (json) =>
          `{"format":"kept-export","version":1,"todos":[${json}],"habits":${json},"completions":[${json}]}`,
      ),
    fc
      .json({ maxDepth: 4 })
      .map((json) => `{"tags":${json},"tasks":{"habits":[${json}],"dailys":[${json}],"todos":[${json}]}}`),
    fc.json(),
  );
  fc.assert(
    fc.property(fc.array(fc.record({ name: fc.string(), text }), { maxLength: 3 }), (files) => {
      read(...files);
    }),
    { numRuns: 500 },
  );
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 500 }), (bytes) => {
      unzip(new Uint8Array([0x50, 0x4b, 3, 4, ...bytes]), 10_000);
    }),
    { numRuns: 300 },
  );
});
