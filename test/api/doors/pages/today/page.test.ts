import { expect, test } from "bun:test";
import { inOrderOfDay } from "../../../../../api/doors/pages/today/page.ts";

const today = "2026-11-23";
const todo = (
  title: string,
  time: Partial<{ due_time: string; time_of_day: "morning" | "evening"; rings: string }>,
) => ({
  title,
  due_time: time.due_time ?? null,
  time_of_day: time.time_of_day ?? null,
  reminder: time.rings ? { local_time: time.rings } : null,
});

test("the todos of a day are in the order of their times, and those without a time keep theirs at the end", () => {
  const todos = [
    todo("whenever", {}),
    todo("evening", { time_of_day: "evening" }),
    todo("at 18", { due_time: "18:00" }),
    todo("rings at 8", { rings: `${today}T08:00:00` }),
    todo("rings tomorrow", { rings: "2026-11-24T07:00:00" }),
    todo("morning", { time_of_day: "morning" }),
    todo("at 9 in the evening's part", { due_time: "09:00", time_of_day: "evening" }),
  ];
  expect(inOrderOfDay(todos, today).map(({ title }) => title)).toEqual([
    "rings at 8",
    "at 9 in the evening's part",
    "morning",
    "at 18",
    "evening",
    "whenever",
    "rings tomorrow",
  ]);
});
