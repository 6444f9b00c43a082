import { expect, test } from "bun:test";
import fc from "fast-check";
import ICAL from "ical.js";
import ical, { type VEvent } from "node-ical";
import {
  calendarDocument,
  type FeedForm,
  timeZoneLines,
} from "../../../../../api/doors/pages/calendar/document.ts";
import type { FeedTodo } from "../../../../../api/queries/calendar/read.ts";
import { resolveLocalTime } from "../../../../../shared/domain/day/day.ts";

/** A todo of a calendar feed, due on a day. */
const feedTodo: FeedTodo = {
  id: 5,
  title: "Pay rent",
  description: null,
  due_date: "2026-11-30",
  due_time: null,
  estimated_minutes: null,
  remind_at: null,
  recurrence: null,
  recurrence_from: "due",
  recurrence_anchor: null,
  category_name: null,
  created_at: "2026-11-01 08:00:00.123456+00",
  updated_at: "2026-11-02 08:00:00+00",
};

async function parse(todos: readonly FeedTodo[], form: FeedForm = "events", today = "2026-11-22") {
  const place = { timeZone: "Europe/Berlin", host: "kept.example" };
  const text = await calendarDocument({ form, todos, today, ...place });
  for (const line of text.split("\r\n")) expect(Buffer.byteLength(line)).toBeLessThanOrEqual(75);
  const calendar = new ICAL.Component(ICAL.parse(text));
  return { text, calendar, events: calendar.getAllSubcomponents(form === "tasks" ? "vtodo" : "vevent") };
}

test("a due todo is an event of its whole day, which is the same day in every zone", async () => {
  const { events } = await parse([{ ...feedTodo, category_name: "Home, sweet" }]);
  const [event] = events.map((one) => new ICAL.Event(one));
  expect(event?.summary).toBe("Pay rent");
  expect(event?.startDate.isDate).toBe(true);
  expect(event?.startDate.toString()).toBe("2026-11-30");
  expect(event?.endDate.toString()).toBe("2026-12-01");
  expect(event?.uid).toBe("todo-5@kept.example");
  expect(event?.component.getFirstPropertyValue("categories")).toBe("Home, sweet");
});

test.each([
  ["FREQ=MONTHLY;BYMONTHDAY=-1", "2026-11-30", "2026-11-30", ["2026-12-31", "2027-01-31", "2027-02-28"]],
  ["FREQ=WEEKLY;INTERVAL=2;BYDAY=MO", "2026-11-23", "2026-11-23", ["2026-12-07", "2026-12-21", "2027-01-04"]],
  // This todo moved off its series, which continues in its own weeks.
  ["FREQ=WEEKLY;INTERVAL=2;BYDAY=MO", "2026-11-25", "2026-11-23", ["2026-12-07", "2026-12-21", "2027-01-04"]],
  // This todo is overdue, and missed occurrences are over.
  ["FREQ=DAILY", "2026-11-01", "2026-11-01", ["2026-11-23", "2026-11-24", "2026-11-25"]],
  ["FREQ=DAILY;COUNT=3", "2026-11-23", "2026-11-23", ["2026-11-24", "2026-11-25"]],
  ["FREQ=DAILY;UNTIL=20261125", "2026-11-23", "2026-11-23", ["2026-11-24", "2026-11-25"]],
] as const)(
  "%s, due %s, goes on in the calendar as it does in Kept",
  async (recurrence, due_date, recurrence_anchor, days) => {
    const { events } = await parse([{ ...feedTodo, recurrence, due_date, recurrence_anchor }]);
    const [first, series] = events.map((one) => new ICAL.Event(one));
    expect(first?.startDate.toString()).toBe(due_date);
    expect(first?.isRecurring()).toBe(false);
    const iterator = series?.iterator();
    const shown = Array.from({ length: 3 }, () => iterator?.next()?.toString()).filter(
      (day) => day !== undefined,
    );
    expect(shown).toEqual([...days]);
  },
);

test("a series that goes on from its completion shows no further days", async () => {
  const { events } = await parse([
    { ...feedTodo, recurrence: "FREQ=DAILY;INTERVAL=3", recurrence_from: "completion" },
  ]);
  expect(events).toHaveLength(1);
});

test("as tasks, todos come without rules, and those without a due date too", async () => {
  const daily = { ...feedTodo, recurrence: "FREQ=DAILY" };
  const { events } = await parse([daily, { ...feedTodo, id: 6, due_date: null }], "tasks");
  const dues = events.map((one) => one.getFirstPropertyValue("due")?.toString());
  expect(dues).toEqual(["2026-11-30", undefined]);
  expect(events.every((one) => !one.hasProperty("rrule"))).toBe(true);
});

test("of a long description the beginning is shown, and never half a character", async () => {
  const { events } = await parse([{ ...feedTodo, description: `x${"😀".repeat(2_000)}` }]);
  expect(events[0]?.getFirstPropertyValue("description")).toBe(`x${"😀".repeat(499)}…`);
});

test("any text comes back as it was, in lines of at most 75 octets", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.string({ unit: "grapheme", maxLength: 200 }),
      fc.string({ unit: "binary", maxLength: 200 }),
      async (title, written) => {
        const description = written.replace(/[^\P{Cc}\n]/gu, "").toWellFormed();
        const { events } = await parse([{ ...feedTodo, title: title.replace(/\p{Cc}/gu, ""), description }]);
        expect(events[0]?.getFirstPropertyValue("summary")).toBe(title.replace(/\p{Cc}/gu, ""));
        expect(events[0]?.getFirstPropertyValue("description") ?? "").toBe(description);
      },
    ),
    { numRuns: 200 },
  );
});

const timed = { ...feedTodo, title: "Stand-up; with all", due_time: "14:30", estimated_minutes: 45 };

const textOf = (todo: Partial<FeedTodo>, { form = "events", today = "2026-11-22" } = {}): Promise<string> =>
  calendarDocument({
    ...{ form: form as FeedForm, todos: [{ ...timed, ...todo }], today },
    ...{ timeZone: "Europe/Berlin", host: "kept.example" },
  });

const componentsOf = (text: string, name = "vevent") =>
  new ICAL.Component(ICAL.parse(text)).getAllSubcomponents(name);
const instantOf = (time: ICAL.Time | undefined): string => new Date(time?.toJSDate() ?? 0).toISOString();

/** The starts of a series, by the time zone in the document itself. */
function startsOf(text: string, count: number): string[] {
  const calendar = new ICAL.Component(ICAL.parse(text));
  const [zone] = calendar.getAllSubcomponents("vtimezone");
  const series = calendar.getAllSubcomponents("vevent").find((one) => one.hasProperty("rrule"));
  if (!zone || !series) return [];
  const iterator = new ICAL.Event(series).iterator();
  const found = Array.from({ length: count }, () => iterator.next()).filter(Boolean);
  const timeZone = new ICAL.Timezone(zone);
  return found.map((time) => {
    time.zone = timeZone;
    return new Date(time.toUnixTime() * 1_000).toISOString();
  });
}

test("a todo with a due time is an event at that instant, as long as it is estimated", async () => {
  const text = await textOf({});
  const [event] = componentsOf(text).map((one) => new ICAL.Event(one));
  expect([event?.startDate.isDate, instantOf(event?.startDate)]).toEqual([false, "2026-11-30T13:30:00.000Z"]);
  expect(event?.duration.toSeconds()).toBe(45 * 60);
  expect(text).not.toContain("VTIMEZONE");
  const [other] = Object.values(ical.sync.parseICS(text)).filter((one) => one?.type === "VEVENT");
  expect(other).toMatchObject({
    summary: "Stand-up; with all",
    start: new Date("2026-11-30T13:30:00Z"),
    end: new Date("2026-11-30T14:15:00Z"),
  });
  expect(await textOf({ estimated_minutes: null })).not.toMatch(/^DURATION:/m);
  expect(await textOf({ due_time: null })).not.toMatch(/^DURATION:/m);
});

test.each([
  ["2026-03-29", "02:30", "20260329T010000Z"],
  ["2026-10-25", "02:30", "20261025T003000Z"],
] as const)(
  "%s %s, when the clock changes, is where a reminder would ring",
  async (due_date, due_time, start) => {
    expect(await textOf({ due_date, due_time })).toContain(`DTSTART:${start}\r\n`);
  },
);

test("a series keeps its wall time over changes of the clock, for both readers", async () => {
  const series = { due_date: "2027-03-26", recurrence: "FREQ=DAILY;UNTIL=20270330" };
  const text = await textOf(series);
  const shown = ["2027-03-27T13:30", "2027-03-28T12:30", "2027-03-29T12:30", "2027-03-30T12:30"];
  expect(startsOf(text, 9)).toEqual(shown.map((start) => `${start}:00.000Z`));
  const found = Object.values(ical.sync.parseICS(text)).find((one) => one?.type === "VEVENT" && one.rrule);
  const range = { from: new Date("2027-03-01T00:00:00Z"), to: new Date("2027-04-30T00:00:00Z") };
  const instances = ical.expandRecurringEvent(found as VEvent, range);
  expect(instances.map(({ start }) => start.toISOString())).toEqual(shown.map((start) => `${start}:00.000Z`));
});

test("a reminder that will ring is an alarm of its event and of its task", async () => {
  for (const [form, name] of [
    ["events", "vevent"],
    ["tasks", "vtodo"],
  ] as const) {
    const text = await textOf({ remind_at: "2026-11-30 13:15:00+00" }, { form });
    const [alarm] = componentsOf(text, name)[0]?.getAllSubcomponents("valarm") ?? [];
    expect(alarm?.getFirstPropertyValue("action")).toBe("DISPLAY");
    expect(alarm?.getFirstPropertyValue("description")).toBe("Stand-up; with all");
    expect(instantOf(alarm?.getFirstPropertyValue("trigger") as ICAL.Time)).toBe("2026-11-30T13:15:00.000Z");
  }
  expect(await textOf({})).not.toContain("VALARM");
});

test.each([
  ["14:30", "-PT15M"],
  [null, "PT855M"],
] as const)(
  "the rest of a series due at %s has the reminder as far from its start",
  async (due_time, trigger) => {
    const remind_at = "2026-11-30 13:15:00+00";
    const [, series] = componentsOf(await textOf({ due_time, remind_at, recurrence: "FREQ=WEEKLY" }));
    const [alarm] = series?.getAllSubcomponents("valarm") ?? [];
    const read = alarm?.getFirstPropertyValue("trigger") as ICAL.Duration;
    expect(read.toSeconds()).toBe(ICAL.Duration.fromString(trigger).toSeconds());
  },
);

test("a task with a due time is due at that instant", async () => {
  const [task] = componentsOf(await textOf({ recurrence: "FREQ=DAILY" }, { form: "tasks" }), "vtodo");
  expect(instantOf(task?.getFirstPropertyValue("due") as ICAL.Time)).toBe("2026-11-30T13:30:00.000Z");
});

test("a time zone has the offsets of its clock for ten years", () => {
  const zones = ["Europe/Berlin", "America/St_Johns", "Australia/Lord_Howe", "Africa/Casablanca"];
  for (const timeZone of [...zones, "Asia/Kolkata"]) {
    const lines = timeZoneLines(timeZone, Date.UTC(2026, 10, 22)).join("\r\n");
    const zone = new ICAL.Timezone(new ICAL.Component(ICAL.parse(lines)));
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 3_600 }), fc.integer({ min: 4, max: 23 }), (days, hour) => {
        const day = new Date(Date.UTC(2026, 10, 22 + days)).toISOString().slice(0, 10);
        const wall = `${day}T${String(hour).padStart(2, "0")}:30:00`;
        const time = ICAL.Time.fromDateTimeString(wall);
        time.zone = zone;
        expect([wall, time.toUnixTime() * 1_000]).toEqual([wall, resolveLocalTime(wall, timeZone)]);
      }),
    );
  }
});
