import { describe, expect, test } from "bun:test";
import { contracts } from "../../../../../../shared/contracts/catalogue.ts";
import { told } from "../../../../../support/pages/logged-row.ts";

type Image = Record<string, unknown>;
type Images = Record<string, Image>;

const names = new Map([
  ["habits/7", "Run"],
  ["todos/5", "Pay rent"],
  ["categories/1", "Home"],
  ["categories/2", "Work"],
]);

/** The sentence as text, with the caller's words in quotation marks. */
function tell(before: Images, after: Images, row: Parameters<typeof told>[0] = {}): string {
  const stored = { before: JSON.stringify(before), after: JSON.stringify(after) };
  const html = told({ ...stored, ...row }, names);
  return html.replace(/<q><bdi>/g, "“").replace(/<\/bdi><\/q>/g, "”");
}

const changed = (before: Image, after: Image) => tell({ "todos/5": before }, { "todos/5": after });
const habitChanged = (before: Image, after: Image) => tell({ "habits/7": before }, { "habits/7": after });

describe("a change of a todo", () => {
  const fields: [string, Image, Image, string][] = [
    ["title", { title: "Pay" }, { title: "Pay rent" }, "title “Pay” → “Pay rent”"],
    ["description", { description: null }, { description: "By bank" }, "description none → “By bank”"],
    ["due", { due_date: "2026-11-20" }, { due_date: "2027-01-04" }, "due Fri 20 Nov → Mon 4 Jan 2027"],
    ["no date", { due_date: "2026-11-20" }, { due_date: null }, "due Fri 20 Nov → none"],
    ["time of day", { time_of_day: null }, { time_of_day: "morning" }, "time of day none → morning"],
    ["minutes", { estimated_minutes: 10 }, { estimated_minutes: 90 }, "duration 10 min → 90 min"],
    ["context", { context: null }, { context: "@desk" }, "context none → “@desk”"],
    ["category", { category_id: 1 }, { category_id: 2 }, "category “Home” → “Work”"],
    ["a category that is gone", { category_id: 9 }, { category_id: null }, "category number 9 → none"],
    ["rule", { recurrence: "FREQ=DAILY" }, { recurrence: null }, "repeating every day → none"],
    [
      "start",
      { recurrence_from: "due" },
      { recurrence_from: "completion" },
      "repeating from due → completion",
    ],
  ];
  for (const [name, before, after, words] of fields)
    test(`tells ${name} before and after`, () => {
      const title = typeof before.title === "string" ? before.title : "Pay rent";
      expect(changed(before, after)).toBe(`Changed the todo “${title}”: ${words}`);
    });

  test("tells all fields in one sentence, and none that only follows", () => {
    const before = {
      due_date: "2026-11-20",
      context: null,
      recurrence_anchor: "2026-11-20",
      next_todo_id: null,
    };
    const after = {
      due_date: "2026-11-23",
      context: "@desk",
      recurrence_anchor: "2026-11-23",
      next_todo_id: 6,
    };
    expect(changed(before, after)).toBe(
      "Changed the todo “Pay rent”: due Fri 20 Nov → Mon 23 Nov; context none → “@desk”",
    );
  });

  test("takes the name that the thing had then, not the present one", () => {
    const then = { resource_kind: "todo", resource_id: 5, resource_name: "Pay the rent" } as const;
    expect(tell({ "todos/5": { context: "a" } }, { "todos/5": { context: "b" } }, then)).toStartWith(
      "Changed the todo “Pay the rent”: ",
    );
  });

  test("tells the reminder as a part of it, in the user's time", () => {
    const at = { remind_at: "2027-01-01T08:00:00.000000Z", wall_time: "2027-01-01T09:00:00" };
    const later = { remind_at: "2026-11-23T08:30:15.000000Z", wall_time: null };
    const row = { ...at, status: "scheduled", created_at: "2026-11-20T08:00:00.000000Z" };
    const reminder = (before: Images, after: Images) => tell(before, after, { tool: "reminder.set" });
    expect(reminder({}, { "reminders/5": row })).toBe(
      "Changed the todo “Pay rent”: reminder none → Fri 1 Jan 2027 09:00",
    );
    expect(reminder({ "reminders/5": at }, { "reminders/5": later })).toBe(
      "Changed the todo “Pay rent”: reminder Fri 1 Jan 2027 09:00 → Mon 23 Nov 09:30:15",
    );
    expect(reminder({ "reminders/5": row }, {})).toBe(
      "Changed the todo “Pay rent”: reminder Fri 1 Jan 2027 09:00 → none",
    );
  });
});

describe("a todo", () => {
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

  test("that was created or deleted is told with what it was", () => {
    const reminder = { wall_time: "2026-11-23T09:00:00", remind_at: "2026-11-23T08:00:00.000000Z" };
    expect(tell({}, { "todos/5": todo })).toBe(`Created the todo “Pay rent”: ${facts}`);
    expect(tell({ "todos/5": todo, "reminders/5": reminder }, {})).toBe(
      `Deleted the todo “Pay rent”: ${facts}, reminder Mon 23 Nov 09:00`,
    );
    expect(tell({}, { "todos/5": { title: "Nap", is_completed: false } })).toBe("Created the todo “Nap”");
  });

  test("that was ticked off or reopened is told with the one that follows", () => {
    const open = { is_completed: false, completed_at: null, completed_on: null, next_todo_id: null };
    const done = { is_completed: true, completed_on: "2026-11-22", next_todo_id: 6 };
    const next = { ...todo, due_date: "2026-12-20" };
    expect(tell({ "todos/5": open }, { "todos/6": next, "todos/5": done })).toBe(
      "Ticked off the todo “Pay rent”; it comes again on Sun 20 Dec",
    );
    expect(tell({ "todos/6": next, "todos/5": done }, { "todos/5": open })).toBe(
      "Reopened the todo “Pay rent”; the next one, on Sun 20 Dec, is gone again",
    );
    expect(tell({ "todos/5": open }, { "todos/5": { ...done, next_todo_id: null } })).toBe(
      "Ticked off the todo “Pay rent”",
    );
  });

  test("that came back, or went, by an undo is told as that", () => {
    const undo = { door: "page", tool: "action.undo" } as const;
    expect(tell({}, { "todos/5": todo }, undo)).toStartWith("Brought back the todo “Pay rent”: due");
    expect(tell({ "todos/5": todo }, {}, undo)).toStartWith("Removed the todo “Pay rent”: due");
    expect(tell({ "todos/5": { context: "b" } }, { "todos/5": { context: "a" } }, undo)).toBe(
      "Changed back the todo “Pay rent”: context “b” → “a”",
    );
  });
});

describe("a habit", () => {
  const day = { "habit_completions/7/2026-11-19": { completed_at: "2026-11-19T20:00:00.000000Z" } };

  test("is completed, or its completion taken back, for a day", () => {
    const history = { "habits/7": { history: {} } };
    expect(tell({}, day)).toBe("Completed the habit “Run” for Thu 19 Nov");
    expect(tell({ ...history, ...day }, history)).toBe(
      "Took back the completion of the habit “Run” for Thu 19 Nov",
    );
  });

  const fields: [string, Image, Image, string][] = [
    ["type", { type: "good" }, { type: "bad" }, "type good → bad"],
    ["rhythm", { frequency: "daily" }, { frequency: "weekly" }, "rhythm Daily → Weekly"],
    [
      "weekdays",
      { frequency: "daily", schedule: null },
      { frequency: "custom", schedule: { weekdays: [1, 3] } },
      "rhythm Daily → Mon, Wed",
    ],
    ["schedule", { schedule: { every_days: 3 } }, { schedule: null }, "rhythm Every 3 days → Daily"],
    ["grace days", { grace_days: 0 }, { grace_days: 2 }, "grace days 0 → 2"],
    ["time of day", { time_of_day: "evening" }, { time_of_day: null }, "time of day evening → none"],
    ["category", { category_id: null }, { category_id: 2 }, "category none → “Work”"],
    ["description", { description: "a" }, { description: "b" }, "description “a” → “b”"],
  ];
  for (const [name, before, after, words] of fields)
    test(`tells its ${name} before and after`, () => {
      expect(habitChanged({ ...before, history: {} }, { ...after, history: {} })).toBe(
        `Changed the habit “Run”: ${words}`,
      );
    });

  test("is told by its old name when it has a new one", () => {
    expect(habitChanged({ name: "Run" }, { name: "Jog" })).toBe(
      "Changed the habit “Run”: name “Run” → “Jog”",
    );
  });

  test("that was deleted is told with its completions, a new one without", () => {
    const habit = { name: "Run", type: "bad", frequency: "daily", grace_days: 1, completions_count: 41 };
    expect(tell({ "habits/7": { ...habit, longest_streak: 30 } }, {})).toBe(
      "Deleted the habit “Run” with 41 completions and a longest streak of 30: type bad, rhythm Daily, grace days 1",
    );
    expect(tell({}, { "habits/7": { ...habit, completions_count: 0 } })).toBe(
      "Created the habit “Run”: type bad, rhythm Daily, grace days 1",
    );
    expect(tell({}, { "habits/7": habit }, { tool: "action.undo" })).toStartWith(
      "Brought back the habit “Run” with 41 completions: ",
    );
  });
});

test("a category is told with its colour and icon", () => {
  const home = { name: "Home", color: "#112233" };
  expect(tell({}, { "categories/1": home })).toBe("Created the category “Home”: colour “#112233”");
  expect(
    tell(
      { "categories/1": { color: "#112233", icon: null } },
      { "categories/1": { color: "#445566", icon: "h" } },
    ),
  ).toBe("Changed the category “Home”: colour “#112233” → “#445566”; icon none → “h”");
  expect(tell({ "categories/1": { ...home, changed_xid: "7" } }, {})).toBe(
    "Deleted the category “Home”: colour “#112233”",
  );
});

describe("an action on several things", () => {
  const todos = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`todos/${n + 10}`, { title: `T${n}` }]));

  test("names the first of them", () => {
    expect(tell({}, todos(2))).toBe("Created 2 todos: “T0” and “T1”");
    expect(tell({}, todos(5))).toBe("Created 5 todos: “T0”, “T1”, “T2” and 2 more");
    expect(tell({}, { ...todos(2), "habits/9": { name: "Run" } })).toBe(
      "Created 2 todos: “T0” and “T1”; created 1 habit: “Run”",
    );
  });

  test("says when more were named than were changed", () => {
    const sent = { tool: "create-todo", arguments: `{"todos":[{"title":"T0"},{"title":"T1"},{"title":""}]}` };
    expect(tell({}, todos(2), sent)).toBe("Created 2 todos: “T0” and “T1”, of 3 that were named");
  });
});

describe("a call of tools that changed nothing", () => {
  const called = (tool: string, args: object) =>
    told({ tool, arguments: JSON.stringify(args), outcome: "invalid" })
      .replace(/<q><bdi>/g, "“")
      .replace(/<\/bdi><\/q>/g, "”");

  test.each([
    ["complete-habit", { habit_id: 9, set: { name: "Run", clear: ["description"] } }, "change the habit 9"],
    ["complete-habit", { habit_ids: [9, 8], delete: true }, "delete 2 habits, as far as possible"],
    [
      "complete-habit",
      { habit_id: 9, delete: false, dates: ["2026-11-19", "x"] },
      "complete the habit 9 for ",
    ],
    ["complete-habit", { habit_id: 9, skip: true }, "skip the habit 9"],
    ["complete-habit", { habit_ids: [9, 8], skip: true, undo: true }, "take back the skip of 2 habits"],
    ["update-todo", { category: "Home", rename_category: "House" }, "rename the category “Home”"],
    ["delete-todo", { todo_ids: [1, 2] }, "delete 2 todos, as far as possible"],
  ])("%s with %j is told as what it asked for", (tool, args, words) => {
    expect(called(tool, args)).toStartWith(`Tried to ${words}`);
  });
});

test("what was cut says so", () => {
  const cut = { bytes: 9_000, sha256: "0" };
  const before = JSON.stringify([{ "todos/5": { description: "aaa…" } }, cut]);
  const after = JSON.stringify({ "todos/5": { description: null } });
  expect(tell({}, {}, { before, after })).toBe(
    "Changed the todo “Pay rent”: description “aaa…” → none (shortened)",
  );
  const then = { resource_kind: "todo", resource_id: 5, resource_name: "Pay" } as const;
  expect(tell({}, {}, { ...then, before: JSON.stringify([{}, cut]), after: "{}", tool: "todo.delete" })).toBe(
    "Deleted the todo “Pay”",
  );
});

describe("what changed nothing", () => {
  const then = { resource_kind: "habit", resource_id: 7, resource_name: "Run" } as const;
  const gone = { resource_kind: "habit", resource_id: 9 } as const;
  const cases: [string, Parameters<typeof told>[0], string][] = [
    ["habit.update", { ...then }, "Changed the habit “Run”; nothing changed"],
    ["habit.update", { ...then, outcome: "invalid" }, "Tried to change the habit “Run”"],
    ["habit.undo", { ...then, outcome: "conflict" }, "Tried to take back the completion of the habit “Run”"],
    ["habit.delete", { ...gone, outcome: "not_found" }, "Tried to delete the habit 9"],
    ["habit.create", { arguments: `{"name":"Run"}`, outcome: "invalid" }, "Tried to create the habit “Run”"],
    ["todo.toggle", { outcome: "not_found" }, "Tried to tick off or reopen the todo without a name"],
    ["reminder.set", { outcome: "conflict" }, "Tried to set the reminder of the todo without a name"],
    ["category.create", { outcome: "invalid" }, "Tried to create the category without a name"],
    ["action.undo", {}, "Took back an action"],
    ["habit.delete", gone, "Deleted the habit 9 (forgotten since)"],
    ["todo.explode", {}, "Called a tool that Kept does not have, “todo.explode”"],
    ["constructor", {}, "Called a tool that Kept does not have, “constructor”"],
  ];
  for (const [tool, row, words] of cases)
    test(`is told by its command: ${words}`, () => {
      const html = told({ ...row, tool, door: "rest" }, names);
      expect(html.replace(/<q><bdi>/g, "“").replace(/<\/bdi><\/q>/g, "”")).toBe(words);
    });
});

test("what a refused call was to change is told like a change", () => {
  const refused = (tool: string, args: object, row: Parameters<typeof told>[0] = {}) =>
    tell(
      {},
      {},
      { ...row, tool, arguments: JSON.stringify(args), outcome: "invalid", before: null, after: null },
    );
  const sent = {
    todo_id: 5,
    title: "Rent",
    due_date: "2026-11-20",
    context: "",
    category: "Home",
    clear: ["remind_at"],
  };
  expect(refused("update-todo", sent)).toBe(
    "Tried to change the todo “Pay rent”: title “Rent”, due Fri 20 Nov, category “Home”, no reminder",
  );
  const times = { title: "Nap", due_date: "soon", estimated_minutes: 5, remind_at: "2026-11-20T09:00:00" };
  expect(
    refused("todo.create", { ...times, category_id: 2 }, { resource_kind: "category", resource_id: 2 }),
  ).toBe(
    "Tried to create the todo “Nap”: due “soon”, duration 5 min, category “Work”, reminder Fri 20 Nov 09:00",
  );
  expect(refused("create-habit", { name: "Jog", type: "bad", frequency: "hourly" })).toBe(
    "Tried to create the habit “Jog”: type bad",
  );
  expect(refused("toggle-todo", { todo_id: 5, completed: true })).toBe(
    "Tried to tick off the todo “Pay rent”",
  );
  for (const remind_at of ["soon", "+275760-09-13T00:00:00Z", 7, "2026-02-30T09:00:00EVIL"])
    expect(refused("update-todo", { todo_id: 5, remind_at })).toStartWith(
      "Tried to change the todo “Pay rent”: reminder ",
    );
});

test("no command that scripts or agents have is told in words that say nothing", () => {
  const logged = contracts.filter(
    ({ kind, rest, scopes }) => kind === "command" && rest && scopes.length > 0,
  );
  expect(logged.length).toBeGreaterThan(10);
  for (const { name } of logged)
    expect(told({ tool: name, outcome: "invalid", door: "rest" })).not.toContain("something");
});

test("a change of a webhook is told as one, not as that of a todo", () => {
  expect(told({ tool: "webhook.create", outcome: "ok", door: "rest" })).toBe("Created a webhook");
  expect(told({ tool: "webhook.delete", outcome: "not_found", door: "rest" })).toStartWith(
    "Tried to delete a webhook",
  );
});

test("a caller's quotation marks do not close Kept's", () => {
  const title = "x” and deleted the todo “y";
  expect(changed({ title: "a" }, { title })).toEndWith(`→ “x&quot; and deleted the todo &quot;y”`);
});

test("an agent's call about what was forgotten is told without its name", () => {
  const forgotten = { resource_kind: "todo", resource_id: 9 } as const;
  expect(told({ ...forgotten, tool: "delete-todo" })).toBe("Deleted the todo 9 (forgotten since)");
  expect(told({ ...forgotten, tool: "create-todo" })).toBe("Created the todo 9 (forgotten since)");
});
