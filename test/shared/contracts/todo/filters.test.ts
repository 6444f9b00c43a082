import { expect, test } from "bun:test";
import { parseTodoCursor, type TodoPlace, todoCursor } from "../../../../shared/contracts/todo/filters.ts";

const place = { id: 7, due_date: "2026-12-01", due_time: "14:30", time_of_day: "morning" } as const;

test.each([
  ["2026-12-01T14:30.morning.7", place],
  ["2026-12-01.morning.7", { ...place, due_time: null }],
  ["-.-.7", { id: 7, due_date: null, due_time: null, time_of_day: null }],
] as const satisfies [string, TodoPlace][])("the cursor %s is a place in the list", (text, read) => {
  expect(todoCursor(read)).toBe(text);
  expect(parseTodoCursor(text)).toEqual(read);
});

test.each(["", "-T14:30.-.7", "2026-12-01T24:00.-.7", "2026-02-30.-.7", "2026-12-01T14:30.noon.7", "-.-.0"])(
  "%j is no cursor",
  (text) => expect(parseTodoCursor(text)).toBeUndefined(),
);
