import { expect, test } from "bun:test";
import fc from "fast-check";
import ICAL from "ical.js";
import { calendarDocument, type FeedForm } from "../../../../../api/doors/pages/calendar/document.ts";
import type { FeedTodo } from "../../../../../api/queries/calendar/read.ts";
import { feedTodo } from "../../../../support/pages/feed-todo.ts";

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
