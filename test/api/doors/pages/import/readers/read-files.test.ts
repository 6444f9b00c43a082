import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { strToU8, Zip, ZipDeflate, zipSync } from "fflate";
import { collect } from "../../../../../../api/doors/pages/import/plan.ts";
import { inEnglish } from "../../../../../../api/doors/pages/import/readers/date-words.ts";
import { csvRecords, csvRows } from "../../../../../../api/doors/pages/import/readers/fields.ts";
import type { TextFile } from "../../../../../../api/doors/pages/import/readers/found.ts";
import { readFiles } from "../../../../../../api/doors/pages/import/readers/read-files.ts";
import { textsOf, unzip } from "../../../../../../api/doors/pages/import/readers/texts.ts";
import { readTodoistDate } from "../../../../../../api/doors/pages/import/readers/todoist.ts";
import type { JsonBody } from "../../../../../harness.ts";
import { wordsIn } from "../../../../../support/text-table.ts";

const context = { today: { date: "2026-11-22", timeZone: "Europe/Berlin" } };
const textOf = (name: string): string => readFileSync(join(import.meta.dir, "samples", name), "utf8");
const sample = async (name: string, as = name): Promise<TextFile> => ({
  name: as,
  text: textOf(name),
});

function read(...files: TextFile[]) {
  const { found, left } = collect(files, context);
  const of = (kind: string) => found.filter((one) => one.kind === kind).map(({ thing }) => thing as never);
  return {
    categories: of("categories") as { name: string; key: string }[],
    habits: of("habits") as Record<string, unknown>[],
    histories: of("histories") as { habit: string; dates: string[]; sums: object[] | null }[],
    todos: of("todos") as Record<string, unknown>[],
    left: left.map(({ name, why }) => `${name}: ${why}`),
  };
}

/** A file in the format of Kept's export. */
const keptFile = (lists: object): TextFile => ({
  name: "kept.json",
  text: JSON.stringify({ format: "kept-export", version: 1, ...lists }),
});

type Bytes = Readonly<Record<string, string | Uint8Array>>;

const toldFields =
  wordsIn(`name title due_date due_time context recurrence target unit remind_at paused_from paused_through skips
  completed_on`);

/** The outcome of an upload: a line for each thing, and one for each that stays out. */
function upload(files: Bytes): string[] {
  const list = Object.entries(files).map(([name, text]) => ({ name, bytes: Buffer.from(text) }));
  const texts = textsOf(list);
  if (typeof texts === "string") return [texts];
  const { found, left } = collect(texts, context);
  const lines = found.map(({ kind, thing }: JsonBody) => {
    const { dates, sums, notes, reminder, description } = thing;
    if (kind === "categories") return `#${thing.name}`;
    if (kind === "histories")
      return [dates, sums, notes]
        .filter((list) => list?.length)
        .map((list) => JSON.stringify(list))
        .join(" ");
    const rings = reminder && `rings ${reminder.wall_time ?? reminder.remind_at}`;
    const marks = [
      thing.is_important && "!",
      thing.recurrence_from === "completion" && "from completion",
      rings,
    ];
    const values = [
      ...toldFields.map((name) => thing[name]),
      ...marks,
      description && JSON.stringify(description),
    ];
    return values.filter((value) => value && value.length !== 0).join(" ");
  });
  return [...lines, ...left.map(({ name, why }) => `out: ${name}: ${why}`)];
}

const todoistHead = "TYPE,CONTENT,PRIORITY,INDENT,DATE,DATE_LANG,DEADLINE";
/** A task of Todoist in the encodings of spreadsheets. */
const müll = `${todoistHead}\ntask,Müll,4,1,2026-12-01,de,\n`;
const loopHead =
  "Position,Name,Type,FrequencyNumerator,FrequencyDenominator,Unit,Target Type,Target Value,Archived?";
const loopFolder = (folder: string) => ({
  [`${folder}Habits.csv`]: strToU8(`${loopHead}\n1,Swim,YES_NO,1,1,,,,false\n`),
  [`${folder}1 Swim/Checkmarks.csv`]: strToU8(`Date,Value\n${"2026-11-20,2\n".repeat(700_000)}`),
  [`${folder}Checkmarks.csv`]: strToU8("Date,Swim,\n2026-11-21,YES_MANUAL,\n"),
});

/** Loop's database, as far as it is read. */
function loopDatabase(): Uint8Array {
  const database = new Database(":memory:");
  database.run(`create table Habits as select 1 id, 'Water' name, 0 archived, 1 freq_num, 1 freq_den, 0 position, 9 reminder_hour,
    5 reminder_min, 1 type, 0 target_type, 2.5 target_value, 'l' unit, 'How much?' question, '' description`);
  database.run(`create table Repetitions as select 1 habit, ${Date.parse("2026-11-21")} timestamp, 2500 value, 'Hot' notes
    union select 1, ${Date.parse("2026-11-20")}, 3, ''`);
  // Android writes it with a log beside it.
  return database.serialize().fill(2, 18, 20);
}

const cannotRead = expect.stringMatching(
  /^out: \S+: Kept cannot read this file. Bring a file of Kept .*Todoist/,
);
const bin = ["#Home", "Müll 2026-12-01"];

test.each<[string, Bytes, unknown[]]>([
  ["a table of Windows", { "Home.csv": Buffer.from(müll, "latin1") }, bin],
  ["UTF-16 with tabs", { "Home.csv": Buffer.from(`\ufeff${müll.replaceAll(",", "\t")}`, "utf16le") }, bin],
  ["semicolons", { "Home.csv": müll.replaceAll(",", ";") }, bin],
  [
    "an archive of 2024",
    {
      "a.zip": zipSync(
        { "Home.csv": strToU8(müll.replace("2026-12-01", "1. Dez.")) },
        { mtime: "2024-06-01" },
      ),
    },
    ["#Home", "Müll 2024-12-01"],
  ],
  ["a name that the browser changed", { "Home [220] (1).csv": müll }, bin],
  [
    "an archive without the mark for UTF-8",
    { "a.zip": renamed(zipSync({ "Kxxche.csv": strToU8(müll) })) },
    ["#Küche", bin[1]],
  ],
  [
    "Loop's archive in a folder",
    { "a.zip": zipSync({ ...loopFolder("Loop/"), "__MACOSX/Loop/._Habits.csv": strToU8("x") }) },
    ["Swim", '["2026-11-21"]'],
  ],
  [
    "Loop's backup",
    { "Loop.db": loopDatabase() },
    [
      'Water 2.5 l 09:05 2026-11-20 "How much?"',
      '["2026-11-21"] [{"date":"2026-11-21","amount":2.5,"target":2.5}] [{"date":"2026-11-21","note":"Hot"}]',
    ],
  ],
  [
    "TickTick's backup",
    { "TickTick.csv": textOf("ticktick.csv") },
    [
      "#Home",
      'Rent 2026-12-01 money FREQ=MONTHLY;INTERVAL=1 ! rings 2026-12-01T09:00 "Labels: flat\\nRepeats: RRULE:FREQ=MONTHLY;INTERVAL=1;TT_SKIP=WEEKEND"',
      "out: Rent: Repeats without the part of its rule that only TickTick has.",
      'Call 2026-12-01 09:00 2026-10-02 rings 2026-12-01T08:30 "- [ ] one\\n- [x] two\\nPart of: Rent"',
      "out: Call: Comes with the first of its 2 reminders.",
    ],
  ],
  [
    "Google's Takeout",
    { "Tasks.json": textOf("google-tasks.json") },
    ["#Home", 'Buy 2026-12-01 "two"', 'Milk "Part of: Buy"'],
  ],
  [
    "Vikunja's export",
    { "a.zip": zipSync({ "data.json": strToU8(textOf("vikunja.json")), "filters.json": strToU8("[]") }) },
    [
      "#Home",
      'Wash 2026-12-02 10:00 FREQ=DAILY;INTERVAL=7 ! from completion rings 2026-12-02T08:30:00.000Z "Hot & dry"',
      "Hourly",
      "out: Hourly: Does not repeat: Kept has no repetition within a day.",
    ],
  ],
  [
    "a calendar's tasks",
    { "a.ics": textOf("tasks.ics") },
    [
      "#Home",
      'Pay, now 2026-12-01 10:00 FREQ=WEEKLY;BYDAY=TU ! rings 2026-12-01T09:45 "Start: 2026-12-01 09:00"',
      'Done 2026-11-01 2026-11-02 "Part of: Pay, now"',
      'Dropped "Status: CANCELLED"',
      "out: Dropped: It is cancelled there, and comes as a todo that is open.",
      "out: Pay, now: Comes without the changed days of its series.",
      "out: : Stays out, because Kept has no events: 1 event.",
    ],
  ],
  [
    "half a calendar",
    { "a.ics": textOf("tasks.ics").slice(0, 90) },
    ["out: : This calendar is damaged, or not whole."],
  ],
  [
    "Habitica's days, which begin at 3, and one made up for",
    { "userdata.json": textOf("habitica-days.json") },
    [
      "Floss 21:00",
      "Later 2026-11-22 2027-01-10",
      '["2026-11-19","2026-11-21","2026-11-20"]',
      "Call 2026-12-02 rings 2026-12-02T09:00:00.000Z",
    ],
  ],
  ["a bank's table", { "a.csv": "Date,Payee,Amount\n2026-11-01,Shop,-12.00\n" }, [cannotRead]],
  ["a table of whole numbers", { "a.csv": "Date,Steps\n2026-11-01,9000\n" }, [cannotRead]],
  [
    "one list under two names",
    { "Home.csv": müll, "Home (1).csv": müll },
    [...bin, "out: Home (1).csv: This file is in the upload twice, and comes once."],
  ],
  [
    "two backups of Loop",
    { "a.csv": "Date,Swim,\n2026-11-21,2,\n", "b.csv": "Date,Run,\n2026-11-21,2,\n" },
    [
      "Swim",
      '["2026-11-21"]',
      "out: Habits.csv: It was not among the files, so all habits are daily, and amounts stay out.",
      "out: b.csv: Kept reads one backup of Loop at a time; bring this one afterwards.",
    ],
  ],
  [
    "other files",
    {
      ...{ "a.txt": "a,b\n1,2\n", "b.json": "{}", "c.db": "SQLite format 3\0" },
      "d.xlsx": zipSync({ "xl/sheet1.xml": strToU8("<x/>") }),
    },
    [cannotRead, cannotRead, cannotRead, cannotRead],
  ],
])("of %s comes what it has", (_, files, lines) => {
  expect(upload(files).toSorted()).toEqual(lines.toSorted() as string[]);
});

/** Writes ü as two bytes, as macOS does. */
function renamed(zip: Uint8Array): Uint8Array {
  return Buffer.from(Buffer.from(zip).toString("latin1").replaceAll("Kxxche", "KÃ¼che"), "latin1");
}

test("what a task of Todoist has beside its name comes, is told, or is in its description", () => {
  const row = (...cells: string[]) => `${cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(",")}\n`;
  const task = (content: string, date = "", language = "en", priority = "4", deadline = "") =>
    row("task", content, priority, "1", date, language, deadline);
  const file = '[[file {"file_name":"a.pdf","file_url":"https://example.org/a.pdf"}]]';
  const text = [
    task("Late", "Nov 20"),
    task("Summer", "every day starting aug 3"),
    task("Call", "1 Dec 09:00", "en", "1", "24 Dec 2026"),
    row("note", `The plan ${file}`, "", "", "", "", ""),
    task("Steuer", "jeden Monat", "de"),
    task("Sauna", "毎週月曜日", "ja"),
    task("Long"),
    ...Array.from({ length: 8 }, () => row("note", "x".repeat(900), "", "", "", "", "")),
  ].join("");
  expect(upload({ "Inbox.csv": `${todoistHead}\n${text}` })).toEqual([
    "Late 2026-11-20",
    "Summer 2026-08-03 FREQ=DAILY",
    'Call 2026-12-01 09:00 ! rings 2026-12-01T09:00 "Deadline: 24 Dec 2026\\nNote: The plan file a.pdf https://example.org/a.pdf"',
    "Steuer 2026-11-22 FREQ=MONTHLY",
    "Sauna 2026-11-23 FREQ=WEEKLY;BYDAY=MO",
    expect.stringMatching(/^Long "Note: x+/),
    "out: Long: Its description is too long: its last 2256 characters stay out.",
  ]);
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
  ["2026-12-05 15:30", "2026-12-05 15:30"],
  ["Oct 5 2027", "2027-10-05"],
  ["5 Oct", "2026-10-05"],
  ["tomorrow at 7pm", "2026-11-23 19:00"],
  ["friday", "2026-11-27"],
  ["every day", "2026-11-22", "FREQ=DAILY"],
  ["every other week", "2026-11-22", "FREQ=WEEKLY;INTERVAL=2"],
  ["every! 3 days", "2026-11-22", "FREQ=DAILY;INTERVAL=3", "completion"],
  ["every other mon", "2026-11-23", "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO"],
  ["every 3rd friday", "2026-12-18", "FREQ=MONTHLY;BYDAY=3FR"],
  ["tomorrow at 5:30", "2026-11-23 05:30"],
  ["tomorrow, remind me at 7"],
  ["today for 30 min"],
  ["every mon, fri at 9am", "2026-11-23 09:00", "FREQ=WEEKLY;BYDAY=MO,FR"],
  ["every weekday", "2026-11-23", "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"],
  ["every 15th", "2026-12-15", "FREQ=MONTHLY;BYMONTHDAY=15"],
  ["every 24 dec", "2026-12-24", "FREQ=YEARLY;BYMONTHDAY=24;BYMONTH=12"],
  ["every month starting 2027-01-31", "2027-01-31", "FREQ=MONTHLY"],
  ["monthly", "2026-11-22", "FREQ=MONTHLY"],
  ["daily at 7pm", "2026-11-22 19:00", "FREQ=DAILY"],
  ["every mondays", "2026-11-23", "FREQ=WEEKLY;BYDAY=MO"],
  ["1 Sep. 2033", "2033-09-01"],
  ["2026-01-04T15:30:00", "2026-01-04 15:30"],
  ["yesterday", "2026-11-21"],
  ["every 2, 15, 27", "2026-11-27", "FREQ=MONTHLY;BYMONTHDAY=2,15,27"],
  ["after 10 days", "2026-11-22", "FREQ=DAILY;INTERVAL=10", "completion"],
  ["every jan, mar, jun 13", "2027-01-13", "FREQ=YEARLY;BYMONTHDAY=13;BYMONTH=1,3,6"],
  ["month"],
  ["sunset"],
  ["2026-02-30"],
  ["when it is full"],
] as [string, string?, string?, string?][])(
  "Todoist's date %s",
  (written, due = "", rule = "", recurrence_from = "due") => {
    const [due_date, due_time = null] = due.split(" ");
    const expected = { due_date, due_time, recurrence: rule || null, recurrence_from };
    expect(readTodoistDate(written, "2026-11-22")).toEqual((due ? expected : undefined) as never);
  },
);

test.each([
  ["de", "jeden 2. Tag", "every 2 days"],
  ["de", "jeden Montag um 9 Uhr", "every monday at 9"],
  ["fr", "tous les lundis", "every monday"],
  ["fr", "5 janv. 2027", "5 jan 2027"],
  ["es", "mañana a las 9:00", "tomorrow at 9:00"],
  ["pt_BR", "toda segunda-feira", "every monday"],
  ["it", "ogni venerdì", "every friday"],
  ["nl", "elke maand", "every month"],
  ["nl", "elke maandag", "every monday"],
  ["sv", "varje vecka", "every week"],
  ["da", "hver uge", "every week"],
  ["fi", "joka maanantai", "every monday"],
  ["pl", "co 2 tygodnie", "every 2 weeks"],
  ["ru", "каждую пятницу", "every friday"],
  ["tr", "her gün", "every day"],
  ["ja", "毎月15日", "every month on the 15th"],
  ["ko", "매주 월요일", "every monday"],
  ["zh_CN", "每天", "every day"],
  ["zh_CN", "2026年12月3日", "3 dec 2026"],
  ["en", "when it is full", "when it is full"],
])("in %s “%s” is %s", (language, text, english) => {
  expect(inEnglish(text, language)).toBe(english);
});

describe("a project of Todoist", () => {
  test("becomes todos in a category, with what Kept has no field for in their descriptions", async () => {
    const { categories, todos, left } = read(await sample("todoist.csv", "Garden [2203306141].csv"));
    expect(categories.map(({ name }) => name)).toEqual(["Garden"]);
    expect(todos.map(({ title }) => title)).toEqual([
      ...["Sow the beans", "Buy string", "Water the ferns", 'Say "thanks" to Ole', "Look at the moon"],
    ]);
    expect(todos[0]).toMatchObject({ due_date: "2026-12-05", context: "garden", estimated_minutes: 30 });
    expect(todos[0]?.description).toBe("Two rows, by the wall\nLabels: weekend");
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
    ["Old thing", "daily", null],
    ["Clean the windows", "custom", { every_days: 30 }],
  ]);
  expect(habits.map(({ name }) => daysOf(String(name)))).toEqual([
    ["2026-11-21", "2026-11-20"],
    ["2026-11-20"],
    ["2026-11-21", "2026-11-19"],
    ["2026-11-20"],
    ["2026-11-19"],
  ]);
  expect(habits.map(({ skips }) => skips)).toEqual([["2026-11-18"], [], [], [], []]);
  expect(habits.map(({ target, unit }) => `${target} ${unit}`)).toEqual([
    ...["null null", "null null", "20 pages", "null null", "null null"],
  ]);
  expect(habits[2]?.description).toBe("How many pages?");
  expect(histories.flatMap(({ sums }) => sums)).toEqual([
    { date: "2026-11-21", amount: 25, target: 20 },
    { date: "2026-11-20", amount: 19, target: 20 },
    { date: "2026-11-19", amount: 20, target: 20 },
  ]);
  expect(left).toEqual(["Old thing: It is archived in Loop, and comes paused."]);
  expect(read(list).left[0]).toContain("without their days");
});

test("amounts of Loop are counted in days, zero is within a limit, and what Kept cannot count is told", () => {
  const list = `Position,Name,Type,FrequencyNumerator,FrequencyDenominator,Unit,Target Type,Target Value,Archived?
1,Run,NUMERICAL,1,1,km,AT_LEAST,2.5,false\n2,Coffee,NUMERICAL,1,1,cups,AT_MOST,2,false
3,Read,NUMERICAL,1,7,pages,AT_LEAST,300.0,false\n`;
  const days =
    "Date,Run,Coffee,Read,\n2026-11-21,2500,NO,7000,\n2026-11-20,1999,3000,NO,\n2026-11-19,400,2000,,\n";
  const found = read({ name: "Habits.csv", text: list }, { name: "Checkmarks.csv", text: days });
  expect(found.habits.map(({ target, description }) => [target, description])).toEqual([
    [2.5, null],
    [null, "At most: 2 cups a day"],
    [null, "Target: 300 pages in 7 days"],
  ]);
  expect(found.histories.map(({ dates }) => dates)).toEqual([
    ["2026-11-21"],
    ["2026-11-21", "2026-11-19"],
    ["2026-11-21"],
  ]);
  const amounts = found.histories[0]?.sums?.map((sum) => "amount" in sum && sum.amount);
  expect(amounts).toEqual([2.5, 1.999, 0.4]);
  expect(found.histories[1]).toMatchObject({ notes: [{ note: "2 cups" }] });
  const why = "amounts come as notes on the days that count as done.";
  expect(found.left).toEqual([
    `Coffee: Kept has no such target (At most: 2 cups a day); ${why}`,
    `Read: Kept has no such target (Target: 300 pages in 7 days); ${why}`,
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
  expect(read(...texts).histories).toHaveLength(5);
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

test("hundreds of rules come, and a rule that Kept has not is told and stays in the description", () => {
  const series = { title: "Birthday", is_completed: false, recurrence_from: "due" };
  const rules = Array.from({ length: 300 }, (_, n) => `FREQ=DAILY;INTERVAL=${n + 1}`);
  const todos = [...rules, "FREQ=HOURLY"].map((recurrence, id) => ({ ...series, id, recurrence }));
  const found = read(keptFile({ todos }));
  expect(found.todos.filter(({ recurrence }) => recurrence !== null)).toHaveLength(300);
  expect(found.todos[300]).toMatchObject({ recurrence: null, description: "Repeats: FREQ=HOURLY" });
  expect(found.left).toHaveLength(1);
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
  const broken = ["BEGIN:VCALENDAR\nBEGIN:VTODO\nDUE:", textOf("ticktick.csv").slice(0, -2)];
  const text = fc.oneof(
    fc.uint8Array({ maxLength: 300 }).map((bytes) => new TextDecoder().decode(bytes)),
    fc
      .tuple(fc.constantFrom(...heads, ...broken), fc.string({ unit: "binary", maxLength: 300 }))
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
    ...["kind", "loop", "habits"].map((name) =>
      fc
        .json({ maxDepth: 4 })
        .map((json) => `{"kind":"tasks#taskLists","items":[${json}],"${name}":${json}}`),
    ),
    fc.json().map((json) => `[{"tasks":[${json}]}]`),
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
