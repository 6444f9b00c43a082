import { expect, test } from "bun:test";
import fc from "fast-check";
import ICAL from "ical.js";
import ical, { type VEvent } from "node-ical";
import { calendarDocument, type FeedForm } from "../../../../../api/doors/pages/calendar/document.ts";
import { timeZoneLines } from "../../../../../api/doors/pages/calendar/time-zone.ts";
import type { FeedTodo } from "../../../../../api/queries/calendar/read.ts";
import { resolveLocalTime } from "../../../../../shared/domain/day/day.ts";
import { feedTodo } from "../../../../support/pages/feed-todo.ts";

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
