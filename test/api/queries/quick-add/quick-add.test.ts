import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  type QuickHabit,
  type QuickTodo,
  readQuickAdd,
  readRepeat,
} from "../../../../api/queries/quick-add/quick-add.ts";
import { sayRepeat } from "../../../../api/queries/quick-add/say-repeat.ts";
import { longestLine } from "../../../../shared/domain/todo/quick-add-words.ts";
import { wordsIn } from "../../../support/text-table.ts";

/** A Sunday, 11:00 in Berlin. */
const clock = { now: Date.parse("2026-11-22T10:00:00Z"), timeZone: "Europe/Berlin", today: "2026-11-22" };

type Said = { kind?: string } & Partial<Omit<QuickTodo, "kind">> & Partial<Omit<QuickHabit, "kind">>;

/** The parsed fields, without absent ones and without questions. */
function read(line: string, wanted?: "todo" | "habit"): Said {
  const { alternatives: _, ...said } = readQuickAdd(line, clock, wanted);
  return Object.fromEntries(Object.entries(said).filter(([, value]) => value !== null && value !== false));
}

/** A due time with a reminder at it. */
const at = (due_date: string, due_time: string) => ({
  due_date,
  due_time,
  remind_at: `${due_date}T${due_time}`,
});

const monthly = "FREQ=MONTHLY;BYMONTHDAY=1";

describe("a line that is a todo", () => {
  const lines: Record<string, Partial<QuickTodo>> = {
    "Pay rent every month on the 1st at 9 #Home @desk 10min": {
      title: "Pay rent",
      ...at("2026-12-01", "09:00"),
      recurrence: monthly,
      estimated_minutes: 10,
      context: "desk",
      category: "Home",
    },
    "Call Bob 2026-12-24 10:30": { title: "Call Bob", ...at("2026-12-24", "10:30") },
    "Call Bob at 9 EST on Friday": { title: "Call Bob", ...at("2026-11-27", "15:00") },
    "Call Bob tomorrow and pay at 9pm": { title: "Call Bob and pay", ...at("2026-11-23", "21:00") },
    "Meet Bob tomorrow 9 to 10": { title: "Meet Bob", estimated_minutes: 60, ...at("2026-11-23", "09:00") },
    "Call Bob at 5 in the morning": {
      ...{ title: "Call Bob", time_of_day: "morning" },
      ...at("2026-11-23", "05:00"),
    },
    "Call Bob at 5": { title: "Call Bob", ...at("2026-11-22", "17:00") },
    "Call Bob at 5am": { title: "Call Bob", ...at("2026-11-23", "05:00") },
    "Call Bob at 05:00": { title: "Call Bob", ...at("2026-11-23", "05:00") },
    "Todo list for Mon": { title: "Todo list for Mon" },
    "Write in the afternoon 1h30": { title: "Write", time_of_day: "afternoon", estimated_minutes: 90 },
    "Swim for 2 hours": { title: "Swim", estimated_minutes: 120 },
    "Call in 90000000 hours": { title: "Call in 90000000 hours" },
    "Call in 999999999999999999999 hours": { title: "Call in 999999999999999999999 hours" },
  };
  test.each(Object.entries(lines))("%s", (line, said) => {
    expect(read(line)).toEqual({ kind: "todo", ...said });
  });
});

describe("a repetition", () => {
  const rules: Record<string, string> = {
    "every day": "FREQ=DAILY",
    "every other day": "FREQ=DAILY;INTERVAL=2",
    "every 2nd day": "FREQ=DAILY;INTERVAL=2",
    "every three weeks": "FREQ=WEEKLY;INTERVAL=3",
    "every weekday": "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR",
    "every weekend": "FREQ=WEEKLY;BYDAY=SA,SU",
    "every Mon, Wed and Fri": "FREQ=WEEKLY;BYDAY=MO,WE,FR",
    "every other Monday": "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO",
    "every 2 weeks on Tue & Thu": "FREQ=WEEKLY;INTERVAL=2;BYDAY=TU,TH",
    "weekly on Fridays": "FREQ=WEEKLY;BYDAY=FR",
    "every month": "FREQ=MONTHLY",
    "every 1st": monthly,
    "every first day of the month": monthly,
    "every month on the 1st and the 15th": "FREQ=MONTHLY;BYMONTHDAY=1,15",
    "monthly on the last day": "FREQ=MONTHLY;BYMONTHDAY=-1",
    "every last Friday of the month": "FREQ=MONTHLY;BYDAY=-1FR",
    "every 2nd Tuesday": "FREQ=MONTHLY;BYDAY=2TU",
    "every year": "FREQ=YEARLY",
    "every 24 December": "FREQ=YEARLY;BYMONTHDAY=24;BYMONTH=12",
    "yearly on December 24th": "FREQ=YEARLY;BYMONTHDAY=24;BYMONTH=12",
    "every day until 1 March": "FREQ=DAILY;UNTIL=20270301",
  };
  test.each(Object.entries(rules))("%s", (words, rule) => {
    expect(read(`Pay rent ${words}`)).toMatchObject({ title: "Pay rent", recurrence: rule });
    expect(readRepeat(words, clock)).toMatchObject({ rule });
    expect(readRepeat(sayRepeat(rule), clock)).toEqual({ rule, fromCompletion: false });
  });

  test("counts from its completion with an exclamation mark", () => {
    expect(read("Water plants every! 3 days")).toMatchObject({
      title: "Water plants",
      recurrence: "FREQ=DAILY;INTERVAL=3",
      recurrence_from: "completion",
    });
  });

  test("begins on its next day, which is today unless the time is over", () => {
    expect(read("A every other Monday").due_date).toBe("2026-11-23");
    expect(read("A every day").due_date).toBe("2026-11-22");
    expect(read("A every day at 10").remind_at).toBe("2026-11-23T10:00");
    expect(read("A every day at 12").remind_at).toBe("2026-11-22T12:00");
    expect(read("A every week starting next Friday").due_date).toBe("2026-11-27");
  });

  test("is also taken as a rule, and refused where it is more than a repetition", () => {
    expect(readRepeat("rrule:freq=weekly;byday=mo", clock)).toMatchObject({ rule: "FREQ=WEEKLY;BYDAY=MO" });
    for (const text of ["", "sometimes", "every day at 9", "every day or so", "FREQ=HOURLY"])
      expect(readRepeat(text, clock)).toHaveProperty("error");
    expect(sayRepeat("FREQ=MONTHLY;BYDAY=MO,TU;BYSETPOS=1")).toBe("FREQ=MONTHLY;BYDAY=MO,TU;BYSETPOS=1");
  });
});

describe("a line that is a habit", () => {
  const lines: Record<string, Partial<QuickHabit>> = {
    "habit Read": { name: "Read" },
    "habit Run 3 times a week": { name: "Run", frequency: "custom", schedule: { times_per_week: 3 } },
    "Run three times per week": { name: "Run", frequency: "custom", schedule: { times_per_week: 3 } },
    "habit: Meditate every day in the morning": { name: "Meditate", time_of_day: "morning" },
    "habit Stretch every evening": { name: "Stretch", time_of_day: "evening" },
    "habit Work out every weekday #Health": {
      name: "Work out",
      frequency: "custom",
      schedule: { weekdays: [1, 2, 3, 4, 5] },
      category: "Health",
    },
    "habit Clean every 2 weeks": { name: "Clean", frequency: "custom", schedule: { every_days: 14 } },
    "habit: Read every day at 21:00": { name: "Read", remind_at: "21:00" },
    "habit Pay every month at 9 tomorrow": { name: "Pay every month at 9 tomorrow" },
  };
  test.each(Object.entries(lines))("%s", (line, said) => {
    expect(read(line)).toEqual({ kind: "habit", type: "good", frequency: "daily", ...said });
  });

  test("is what the person chooses, whatever the line says", () => {
    expect(read("Read every day", "habit")).toMatchObject({ kind: "habit", name: "Read" });
    expect(read("habit Read every day", "todo")).toMatchObject({ kind: "todo", recurrence: "FREQ=DAILY" });
  });
});

test("a choice has the fields that differ, and a habit is a choice of its own", () => {
  const habit = {
    type: "good",
    frequency: "daily",
    schedule: null,
    time_of_day: null,
    remind_at: null,
  } as const;
  const choices = (line: string) => readQuickAdd(line, clock).alternatives;
  expect(choices("Catch flight at 6 tomorrow")).toEqual([
    { label: "06:00", due_time: "06:00", remind_at: "2026-11-23T06:00" },
  ]);
  expect(choices("Pay on 4/5")).toEqual([{ label: "Mon 5 Apr", due_date: "2027-04-05" }]);
  expect(choices("Friday pay")).toEqual([{ label: "Fri 27 Nov", due_date: "2026-11-27", title: "pay" }]);
  expect(choices("quit smoking")).toEqual([
    {
      label: "habit to avoid",
      habit: { ...habit, name: "quit smoking", type: "bad" },
    },
  ]);
  expect(choices("run every morning, remind me at 7")).toEqual([
    { label: "habit", habit: { ...habit, name: "run", time_of_day: "morning", remind_at: "07:00" } },
  ]);
  const american = { ...clock, timeZone: "America/New_York" };
  expect(readQuickAdd("Pay on 4/5", american)).toMatchObject({ due_date: "2027-04-05" });
  expect(readQuickAdd("todo: Read every day", clock).alternatives).toEqual([]);
  expect(readQuickAdd("Read every day", clock, "habit").alternatives).toEqual([]);
});

test("what only looks like a date, a mark or a duration stays in the title", () => {
  for (const line of [
    "weekly report",
    "5 minute walk",
    "Half 1/2 cup",
    "Mail bob@example.org about #1",
    "Check every 2 hours",
    "Look every 31 February",
    "Habits are good",
    "Todos of Bob",
    "v2.10.3 of a-b",
  ])
    expect(read(line)).toEqual({ kind: "todo", title: line });
});

test("after midnight, dates are those of the day that goes on", () => {
  const late = { now: Date.parse("2026-11-23T00:30:00Z"), timeZone: "Europe/Berlin", today: "2026-11-22" };
  expect(readQuickAdd("A today", late)).toMatchObject({ due_date: "2026-11-22" });
  expect(readQuickAdd("A tomorrow", late)).toMatchObject({ due_date: "2026-11-23" });
  expect(readQuickAdd("A at 9", late)).toMatchObject({ remind_at: "2026-11-23T09:00" });
  expect(readQuickAdd("A in 2 hours", late)).toMatchObject({ remind_at: "2026-11-23T03:30" });
});

test("each zone has its own today", () => {
  const now = Date.parse("2026-11-22T10:30:00Z");
  const east = { now, timeZone: "Pacific/Kiritimati", today: "2026-11-23" };
  const west = { now, timeZone: "Pacific/Pago_Pago", today: "2026-11-21" };
  expect(readQuickAdd("A tomorrow", east)).toMatchObject({ due_date: "2026-11-24" });
  expect(readQuickAdd("A tomorrow", west)).toMatchObject({ due_date: "2026-11-22" });
});

const pieces = wordsIn(`
  every every! other day week month on the 1st last Friday Mon , and until in 2 hours tomorrow at 9 #Home @desk 10min
  habit bad 3 times a 31 February morning starting 9999 99999 0 -1 12:99 # " EST`);
const line = fc.oneof(
  fc.array(fc.constantFrom(...pieces), { maxLength: 12 }).map((words) => words.join(" ")),
  fc.string({ unit: "binary", maxLength: 80 }),
);

/** Words of letters and digits only, because signs beside a phrase may go with it. */
const plainWordsIn = (text: string): string[] => text.match(/[\p{L}\p{N}]+/gu) ?? [];

function isWithin(part: readonly string[], whole: readonly string[]): boolean {
  let at = 0;
  for (const word of whole) if (word === part[at]) at += 1;
  return at === part.length;
}

test("whatever the text, reading it never throws; words that are gone from it show as something else", () => {
  fc.assert(
    fc.property(line, fc.constantFrom("todo" as const, "habit" as const), (text, kind) => {
      const result = readQuickAdd(text, clock, kind);
      const name = result.kind === "todo" ? result.title : result.name;
      const lead = /^\s*((bad\s+)?habit(?=\s|:|$)|todo\s*:)/i.exec(text)?.[0] ?? "";
      const [left, given] = [plainWordsIn(name), plainWordsIn(text.slice(lead.length))];
      expect(isWithin(left, given)).toBe(true);
      // A habit is daily by default, so "every day" adds nothing.
      const unsaid = ["title", "name", "kind", "type", "alternatives"];
      const isSaid = Object.entries(result).some(
        ([field, value]) => !unsaid.includes(field) && value !== null && value !== "daily",
      );
      if (!isSaid && !/every|each|daily/i.test(text)) expect(left).toEqual(given);
      if (result.kind === "todo" && result.due_date) expect(result.due_date).toMatch(/^\d{4}-\d\d-\d\d$/);
    }),
    { numRuns: 400 },
  );
});

test("a long line is a title alone and no repetition, and reading one takes no time", () => {
  const long = `Pay ${"every day ".repeat(60)}`;
  expect(read(long)).toEqual({ kind: "todo", title: long.trim() });
  const costly = [
    "every 1st and ".repeat(35),
    "in 9 ".repeat(99),
    "1h30 ".repeat(99),
    "tomorrow at ".repeat(40),
    "3 weeks     ".repeat(10),
  ];
  // Time of the processor, because other processes lengthen any other.
  const since = process.cpuUsage();
  for (const text of costly) readQuickAdd(text.slice(0, longestLine), clock);
  readQuickAdd(`x${",".repeat(65_000)}x`, clock);
  for (const part of ["at 5 on may 5 ", "every.", "every "])
    expect(readRepeat(part.repeat(4_000), clock)).toHaveProperty("error");
  expect(process.cpuUsage(since).user).toBeLessThan(2_000_000);
});
