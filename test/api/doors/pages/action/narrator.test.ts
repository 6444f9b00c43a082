import { describe, expect, test } from "bun:test";
import { contracts } from "../../../../../shared/contracts/catalogue.ts";
import { told } from "../../../../support/pages/logged-row.ts";

type Image = Record<string, unknown>;
type Images = Record<string, Image>;
type Row = Parameters<typeof told>[0];

const names = new Map([
  ["habits/7", "Run"],
  ["todos/5", "Pay rent"],
  ["categories/1", "Home"],
  ["categories/2", "Work"],
]);

const quoted = (html: string) => html.replace(/<q><bdi>/g, "“").replace(/<\/bdi><\/q>/g, "”");

/** The sentence as text, with the caller's words in quotation marks. */
const tell = (before: Images, after: Images, row: Row = {}): string =>
  quoted(told({ before: JSON.stringify(before), after: JSON.stringify(after), ...row }, names));

const ofTodo = (image: Image): Images => ({ "todos/5": image });
const ofHabit = (image: Image): Images => ({ "habits/7": image });
const ofCategory = (image: Image): Images => ({ "categories/1": image });

test.each([
  [{ title: "Pay" }, { title: "Pay rent" }, "title “Pay” → “Pay rent”", "Pay"],
  [{ description: null }, { description: "By bank" }, "description none → “By bank”"],
  [{ due_date: "2026-11-20" }, { due_date: "2027-01-04" }, "due Fri 20 Nov → Mon 4 Jan 2027"],
  [{ due_date: "2026-11-20" }, { due_date: null }, "due Fri 20 Nov → none"],
  [{ time_of_day: null }, { time_of_day: "morning" }, "time of day none → morning"],
  [{ estimated_minutes: 10 }, { estimated_minutes: 90 }, "duration 10 min → 90 min"],
  [{ context: null }, { context: "@desk" }, "context none → “@desk”"],
  [{ category_id: 1 }, { category_id: 2 }, "category “Home” → “Work”"],
  [{ category_id: 9 }, { category_id: null }, "category number 9 → none"],
  [{ recurrence: "FREQ=DAILY" }, { recurrence: null }, "repeating every day → none"],
  [{ recurrence_from: "due" }, { recurrence_from: "completion" }, "repeating from due → completion"],
  // All fields are in one sentence, and none that only follows.
  [
    { due_date: "2026-11-20", context: null, recurrence_anchor: "2026-11-20", next_todo_id: null },
    { due_date: "2026-11-23", context: "@desk", recurrence_anchor: "2026-11-23", next_todo_id: 6 },
    "due Fri 20 Nov → Mon 23 Nov; context none → “@desk”",
  ],
] as [Image, Image, string, string?][])(
  "a change of a todo from %j to %j is told: %s",
  (before, after, words, title = "Pay rent") => {
    expect(tell(ofTodo(before), ofTodo(after))).toBe(`Changed the todo “${title}”: ${words}`);
  },
);

test("a change is told with the name that the thing had then, not the present one", () => {
  const then = { resource_kind: "todo", resource_id: 5, resource_name: "Pay the rent" } as const;
  expect(tell(ofTodo({ context: "a" }), ofTodo({ context: "b" }), then)).toStartWith(
    "Changed the todo “Pay the rent”: ",
  );
});

const newYear = { remind_at: "2027-01-01T08:00:00.000000Z", wall_time: "2027-01-01T09:00:00" };
const monday = { remind_at: "2026-11-23T08:30:15.000000Z", wall_time: null };
const whole = { ...newYear, status: "scheduled", created_at: "2026-11-20T08:00:00.000000Z" };
test.each([
  [{}, { "reminders/5": whole }, "none → Fri 1 Jan 2027 09:00"],
  [{ "reminders/5": newYear }, { "reminders/5": monday }, "Fri 1 Jan 2027 09:00 → Mon 23 Nov 09:30:15"],
  [{ "reminders/5": whole }, {}, "Fri 1 Jan 2027 09:00 → none"],
] as const)("a reminder from %j to %j is a part of its todo, in the user's time", (before, after, words) => {
  expect(tell(before, after, { tool: "reminder.set" })).toBe(
    `Changed the todo “Pay rent”: reminder ${words}`,
  );
});

const todo = {
  title: "Pay rent",
  due_date: "2026-11-20",
  category_id: 1,
  recurrence: "FREQ=MONTHLY",
  recurrence_from: "due",
  recurrence_anchor: "2026-11-20",
  is_completed: false,
};
const facts = "due Fri 20 Nov, category “Home”, repeating every month";
const ring = { wall_time: "2026-11-23T09:00:00", remind_at: "2026-11-23T08:00:00.000000Z" };
const open = { is_completed: false, completed_at: null, completed_on: null, next_todo_id: null };
const done = { is_completed: true, completed_on: "2026-11-22", next_todo_id: 6 };
const next = { ...todo, due_date: "2026-12-20" };
const undo = { door: "page", tool: "action.undo" } as const;
const ringing = { ...ofTodo(todo), "reminders/5": ring };
const doneAndNext = { "todos/6": next, ...ofTodo(done) };
const [contextA, contextB] = [ofTodo({ context: "a" }), ofTodo({ context: "b" })];
test.each([
  [`Created the todo “Pay rent”: ${facts}`, {}, ofTodo(todo)],
  [`Deleted the todo “Pay rent”: ${facts}, reminder Mon 23 Nov 09:00`, ringing, {}],
  ["Created the todo “Nap”", {}, ofTodo({ title: "Nap", is_completed: false })],
  ["Ticked off the todo “Pay rent”; it comes again on Sun 20 Dec", ofTodo(open), doneAndNext],
  ["Reopened the todo “Pay rent”; the next one on Sun 20 Dec is gone again", doneAndNext, ofTodo(open)],
  ["Ticked off the todo “Pay rent”", ofTodo(open), ofTodo({ ...done, next_todo_id: null })],
  [`Brought back the todo “Pay rent”: ${facts}`, {}, ofTodo(todo), undo],
  [`Removed the todo “Pay rent”: ${facts}`, ofTodo(todo), {}, undo],
  ["Changed back the todo “Pay rent”: context “b” → “a”", contextB, contextA, undo],
] as [string, Images, Images, Row?][])(
  "%s is told of a todo that was so",
  (sentence, before, after, row = {}) => {
    expect(tell(before, after, row)).toBe(sentence);
  },
);

describe("a habit", () => {
  test("is completed, or its completion taken back, for a day", () => {
    const day = { "habit_completions/7/2026-11-19": { completed_at: "2026-11-19T20:00:00.000000Z" } };
    const history = ofHabit({ history: {} });
    expect(tell({}, day)).toBe("Completed the habit “Run” for Thu 19 Nov");
    expect(tell({ ...history, ...day }, history)).toBe(
      "Took back the completion of the habit “Run” for Thu 19 Nov",
    );
  });

  test.each([
    [{ type: "good" }, { type: "bad" }, "type good → bad"],
    [{ frequency: "daily" }, { frequency: "weekly" }, "rhythm Daily → Weekly"],
    [
      { frequency: "daily", schedule: null },
      { frequency: "custom", schedule: { weekdays: [1, 3] } },
      "rhythm Daily → Mon, Wed",
    ],
    [{ schedule: { every_days: 3 } }, { schedule: null }, "rhythm Every 3 days → Daily"],
    [{ grace_days: 0 }, { grace_days: 2 }, "grace days 0 → 2"],
    [{ time_of_day: "evening" }, { time_of_day: null }, "time of day evening → none"],
    [{ category_id: null }, { category_id: 2 }, "category none → “Work”"],
    [{ description: "a" }, { description: "b" }, "description “a” → “b”"],
    // It is told by its old name when it has a new one.
    [{ name: "Run" }, { name: "Jog" }, "name “Run” → “Jog”"],
  ] as const)("that was changed from %j to %j is told: %s", (before, after, words) => {
    const both = [ofHabit({ ...before, history: {} }), ofHabit({ ...after, history: {} })] as const;
    expect(tell(...both)).toBe(`Changed the habit “Run”: ${words}`);
  });

  test("that was deleted is told with its completions, a new one without", () => {
    const habit = { name: "Run", type: "bad", frequency: "daily", grace_days: 1, completions_count: 41 };
    expect(tell(ofHabit({ ...habit, longest_streak: 30 }), {})).toBe(
      "Deleted the habit “Run” with 41 completions: type bad, rhythm Daily, grace days 1",
    );
    expect(tell({}, ofHabit({ ...habit, completions_count: 0 }))).toBe(
      "Created the habit “Run”: type bad, rhythm Daily, grace days 1",
    );
    expect(tell({}, ofHabit(habit), { tool: "action.undo" })).toStartWith(
      "Brought back the habit “Run” with 41 completions: ",
    );
  });
});

test("a category is told with its colour and icon", () => {
  const home = { name: "Home", color: "#112233" };
  expect(tell({}, ofCategory(home))).toBe("Created the category “Home”: colour “#112233”");
  expect(
    tell(ofCategory({ color: "#112233", icon: null }), ofCategory({ color: "#445566", icon: "h" })),
  ).toBe("Changed the category “Home”: colour “#112233” → “#445566”; icon none → “h”");
  expect(tell(ofCategory({ ...home, changed_xid: "7" }), {})).toBe(
    "Deleted the category “Home”: colour “#112233”",
  );
});

test("an action on several things names the first, and says when more were named than were changed", () => {
  const todos = (count: number): Images =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`todos/${n + 10}`, { title: `T${n}` }]));
  expect(tell({}, todos(2))).toBe("Created 2 todos: “T0” and “T1”");
  expect(tell({}, todos(5))).toBe("Created 5 todos: “T0”, “T1”, “T2” and 2 more");
  expect(tell({}, { ...todos(2), "habits/9": { name: "Run" } })).toBe(
    "Created 2 todos: “T0” and “T1”; created 1 habit: “Run”",
  );
  const sent = { tool: "create-todo", arguments: `{"todos":[{"title":"T0"},{"title":"T1"},{"title":""}]}` };
  expect(tell({}, todos(2), sent)).toBe("Created 2 todos: “T0” and “T1”, of 3 that were named");
});

test.each([
  ["update-habit", { habit_id: 9, name: "Run", clear: ["description"] }, "change the habit 9"],
  ["delete-habit", { habit_ids: [9, 8] }, "delete 2 habits"],
  ["complete-habit", { habit_id: 9, undo: "false", dates: ["2026-11-19", "x"] }, "complete the habit 9"],
  ["update-habit", { habit_id: 9, skip_dates: "2026-11-19" }, "skip the habit 9"],
  ["update-habit", { habit_ids: [9, 8], unskip_dates: ["2026-11-19"] }, "take back the skip of 2 habits"],
  ["update-habit", { habit_id: 9 }, "change the habit 9"],
  ["update-todo", { category: "Home", rename_category: "House" }, "rename the category “Home”"],
  ["delete-todo", { todo_ids: [1, 2] }, "delete 2 todos"],
])("%s with %j, which changed nothing, is told as what it asked for", (tool, args, words) => {
  const sentence = quoted(told({ tool, arguments: JSON.stringify(args), outcome: "invalid" }));
  expect(sentence).toBe(`Tried to ${words}`);
});

test("what was cut says so", () => {
  const cut = { bytes: 9_000, sha256: "0" };
  const before = JSON.stringify([ofTodo({ description: "aaa…" }), cut]);
  const after = JSON.stringify(ofTodo({ description: null }));
  expect(tell({}, {}, { before, after })).toBe(
    "Changed the todo “Pay rent”: description “aaa…” → none (shortened)",
  );
  const then = { resource_kind: "todo", resource_id: 5, resource_name: "Pay", tool: "todo.delete" } as const;
  expect(tell({}, {}, { ...then, before: JSON.stringify([{}, cut]), after: "{}" })).toBe(
    "Deleted the todo “Pay”",
  );
});

const run = { resource_kind: "habit", resource_id: 7, resource_name: "Run" } as const;
const gone = { resource_kind: "habit", resource_id: 9 } as const;
const refused = { outcome: "invalid" } as const;
test.each([
  ["habit.update", run, "Changed the habit “Run”; nothing changed"],
  ["habit.update", { ...run, ...refused }, "Tried to change the habit “Run”"],
  ["habit.undo", { ...run, outcome: "conflict" }, "Tried to take back the completion of the habit “Run”"],
  ["habit.delete", { ...gone, outcome: "not_found" }, "Tried to delete the habit 9"],
  ["habit.create", { arguments: `{"name":"Run"}`, ...refused }, "Tried to create the habit “Run”"],
  ["todo.toggle", { outcome: "not_found" }, "Tried to tick off or reopen the todo without a name"],
  ["reminder.set", { outcome: "conflict" }, "Tried to set the reminder of the todo without a name"],
  ["category.create", refused, "Tried to create the category without a name"],
  ["action.undo", {}, "Took back an action"],
  ["habit.delete", gone, "Deleted the habit 9 (forgotten since)"],
  ["todo.explode", {}, "Called what Kept does not have, “todo.explode”"],
  ["constructor", {}, "Called what Kept does not have, “constructor”"],
  ["webhook.create", {}, "Created a webhook"],
] as const)("%s of %j, without images, is told by its command: %s", (tool, row, words) => {
  expect(quoted(told({ ...row, tool, door: "rest" }, names))).toBe(words);
});

test.each([
  ["update-todo", { todo_id: 5, title: "Rent", due_date: "2026-11-20" }, "change the todo “Pay rent”"],
  ["todo.create", { title: "Nap", category_id: 2 }, "create the todo “Nap”"],
  ["toggle-todo", { todo_id: 5, completed: true }, "tick off or reopen the todo “Pay rent”"],
] as const)("a refused %s with %j is told by what it named", (tool, args, words) => {
  const call = { ...refused, tool, arguments: JSON.stringify(args), before: null, after: null };
  expect(tell({}, {}, call)).toBe(`Tried to ${words}`);
});

test("no command that scripts or agents have is told in words that say nothing", () => {
  const logged = contracts.filter(
    ({ kind, rest, scopes }) => kind === "command" && rest && scopes.length > 0,
  );
  expect(logged.length).toBeGreaterThan(10);
  for (const { name } of logged)
    expect(told({ tool: name, ...refused, door: "rest" })).not.toStartWith("Tried to call");
  expect(told({ tool: "webhook.delete", outcome: "not_found", door: "rest" })).toStartWith(
    "Tried to delete a webhook",
  );
});

test("a caller's quotation marks do not close Kept's", () => {
  const title = "x” and deleted the todo “y";
  expect(tell(ofTodo({ title: "a" }), ofTodo({ title }))).toEndWith(
    `→ “x&quot; and deleted the todo &quot;y”`,
  );
});

test("an agent's call about what was forgotten is told without its name", () => {
  const forgotten = { resource_kind: "todo", resource_id: 9 } as const;
  expect(told({ ...forgotten, tool: "delete-todo" })).toBe("Deleted the todo 9 (forgotten since)");
  expect(told({ ...forgotten, tool: "create-todo" })).toBe("Created the todo 9 (forgotten since)");
});
