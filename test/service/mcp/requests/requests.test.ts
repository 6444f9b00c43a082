import { describe, expect, test } from "bun:test";
import { useStack } from "../../../harness.ts";
import { type Cost, carryOut, type Request, said } from "./request.ts";
import { settle, startWorld } from "./world.ts";

/** Questions of people; their answers change nothing. */
const questions: readonly Request[] = [
  said("What's on today?", "get-today-habits", {})
    .andThen("get-pending-todos", { due_by: "2026-11-23" })
    .tells(/"Meditate"/, /"Buy milk"/, /"Vacuum".*overdue/)
    .hides(/"Call Grace"/, /"Sort photos"/),
  said("What's overdue?", "get-pending-todos", { overdue_only: true })
    .tells(/^3 of 3/m, /"Pay the electricity bill"/, /"Vacuum"/)
    .hides(/"Buy milk"/, /"Call the bank"/),
  said("What is due this week?", "get-pending-todos", { due_by: "2026-11-29" })
    .tells(/"Dentist appointment": due 2026-11-25/, /"Review Anna’s draft"/)
    .hides(/"Quarterly report"/, /"Sort photos"/),
  said("Which habits are at risk tonight?", "get-today-habits", {})
    .tells(/"Floss".*ends tonight/)
    .hides(/"Meditate".*ends tonight/),
  said("What did I skip this week?", "get-today-habits", { from: "2026-11-16", to: "2026-11-22" }).tells(
    /"Read".*Nov 17 18 20 21/,
    /"Yoga".*Nov 20/,
    /"Water plants".*not done then/,
  ),
  said("How is my reading this month, and how was it last month?", "get-today-habits", {
    query: "read",
    from: "2026-10-01",
  })
    .tells(/Oct 26 27 28 29 30, Nov 17 18 20 21/)
    .hides(/"Run"/),
  said("What did I finish yesterday?", "get-pending-todos", { done_since: "2026-11-22" })
    .tells(/"Call the bank".*2026-11-22/)
    .hides(/"Buy stamps"/, /"Vacuum"/, /0 of 0/),
  said("How many todos are in each category?", "get-pending-todos", { count_by_category: true }).tells(
    /4 in "Home"/,
    /4 in "Work"/,
    /0 in "Health"/,
    /7 in none/,
  ),
  said("What was my best streak ever?", "get-today-habits", { all: true }).tells(/streak 6/),
  said("Is there anything without a date?", "get-pending-todos", { due: "none" }).tells(
    /^3 of 3/m,
    /"Fix the tap"/,
    /"Sort photos"/,
    /"Renew the passport"/,
  ),
  said("What can I do at home in a quarter of an hour?", "get-pending-todos", { context: "home" })
    .tells(/"Fix the tap": 15 min/)
    .hides(/"Buy milk"/),
  said("Which reminders are coming?", "get-pending-todos", { has_reminder: true }).tells(
    /^1 of 1/m,
    /"Call Grace".*reminds 2026-11-24T09:00/,
  ),
  said("Did I already call the bank?", "get-pending-todos", { query: "call bank", status: "all" }).tells(
    /"Call the bank".*done 2026-11-22/,
  ),
  said("Anything late in Home?", "get-pending-todos", { category: "home", overdue_only: true })
    .tells(/^2 of 2/m, /"Vacuum"/)
    .hides(/"Pay the/),
  said("How often did I meditate each month of this year?", "get-today-habits", {
    query: "meditate",
    from: "2026-01-01",
  }).tells(/2026-10: 2, 2026-11: 6/),
  said("May I leave out journaling today without losing the streak?", "get-today-habits", {
    query: "journal",
  }).tells(/"Journal".*grace left 1/),
  said("What at home has no date?", "get-pending-todos", { due: "none", category: "Home" }).tells(
    /^1 of 1/m,
    /"Fix the tap"/,
  ),
  said("What did I finish at home last week?", "get-pending-todos", {
    status: "completed",
    category: "Home",
    done_since: "2026-11-16",
  })
    .tells(/"Clean the oven"/)
    .hides(/"Call the bank"/),
  said("Did I buy everything in the shop?", "get-pending-todos", { context: "shop", status: "all" }).tells(
    /"Buy milk"/,
    /"Buy stamps".*done 2026-11-16/,
  ),
];

const groceries = "milk bread butter eggs rice tea salt oil pears leeks soap yeast"
  .split(" ")
  .map((title) => ({ title }));

/** Wishes of people, each with the state that it leaves. */
const wishes: readonly Request[] = [
  said("I meditated", "complete-habit", { habit_id: "#Meditate" })
    .tells(/Done today: .*"Meditate".*streak 7/)
    .leaves("/habits/#Meditate", { is_completed_today: true, streak_count: 7 }),
  said("I ran yesterday and forgot to tick it", "complete-habit", {
    habit_id: "#Run",
    date: "2026-11-22",
  }).leaves("/habits/#Run/completions?from=2026-11-22", { data: [{ date: "2026-11-22" }] }),
  said("I did yoga last Monday, on Wednesday and today", "complete-habit", {
    habit_id: "#Yoga",
    dates: ["2026-11-16", "2026-11-18", "2026-11-23"],
  })
    .tells(/^3 of 3 done/m)
    .leaves("/habits/#Yoga", { completions_count: 4, is_completed_today: true }),
  said("I did not read on Saturday after all", "complete-habit", {
    habit_id: "#Read",
    date: "2026-11-21",
    undo: true,
  }).leaves("/habits/#Read", { completions_count: 8 }),
  said("I smoked yesterday", "complete-habit", { habit_id: "#Smoke", date: "2026-11-22", undo: true })
    .tells(/Not avoided on 2026-11-22 any more/, /grace days 1: a streak ends by more lapses in a row/)
    .leaves("/habits/#Smoke", { completions_count: 4 }),
  said("I drank six of my eight glasses", "complete-habit", { habit_id: "#Water", amount: 6 })
    .tells(/Added 6 today: .*"Water".* 6 of 8 glasses today/)
    .leaves("/habits/#Water", { amount_today: 6, is_completed_today: false }),
  said("I'm ill, skip the gym", "update-habit", { habit_id: "#Gym", skip_dates: ["2026-11-23"] })
    .tells(/Skipped on 2026-11-23: .*"Gym"/)
    .leaves("/habits/#Gym", { skipped_dates: ["2026-11-23"], is_completed_today: false }),
  said("Pause running over the holidays", "update-habit", {
    habit_id: "#Run",
    paused_from: "2026-12-20",
    paused_through: "2027-01-03",
  }).leaves("/habits/#Run", { paused_from: "2026-12-20", paused_through: "2027-01-03" }),
  said("All evening habits are done", "complete-habit", { habit_ids: ["#Read", "#Journal", "#Floss"] })
    .tells(/^3 of 3 done/m)
    .leaves("/habits/#Read", { is_completed_today: true })
    .leaves("/habits/#Floss", { is_completed_today: true, streak_count: 3 }),
  said("Delete the flossing habit", "delete-habit", { habit_id: "#Floss" })
    .tells(/Deleted habit #\d+ "Floss"/, /\/account\/actions/)
    .leaves("/habits?q=floss", { data: [] }),
  said("Remind me each evening at nine to journal", "update-habit", {
    habit_id: "#Journal",
    remind_at: "21:00",
  }).leaves("/habits/#Journal", { remind_at: "21:00" }),
  said("Add these twelve groceries for the shop", "create-todo", { context: "shop", todos: groceries })
    .tells(/^12 of 12 done/m)
    .leaves("/todos?q=yeast", { data: [{ context: "shop" }] }),
  said("Remind me at nine tomorrow to call Tom", "create-todo", {
    title: "Call Tom",
    remind_at: "2026-11-24T09:00",
  })
    .tells(/reminds 2026-11-24T09:00/, /reaches nobody until/)
    .leaves("/todos?q=tom", { data: [{ reminder: { local_time: "2026-11-24T09:00:00" } }] }),
  said("The rent is due on the first of each month", "create-todo", {
    title: "Pay the rent",
    recurrence: "FREQ=MONTHLY;BYMONTHDAY=1",
  }).leaves("/todos?q=rent", { data: [{ due_date: "2026-12-01" }] }),
  said("Every weekday at eight remind me to take my medicine", "create-todo", {
    title: "Take medicine",
    recurrence: "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR",
    due_date: "2026-11-24",
    remind_at: "2026-11-24T08:00",
  })
    .tells(/reminds 2026-11-24T08:00/)
    .leaves("/todos?q=medicine", { data: [{ reminder: { local_time: "2026-11-24T08:00:00" } }] }),
  said("Dentist on 3 March at half past two", "create-todo", {
    title: "Dentist check-up",
    due_date: "2027-03-03",
    due_time: "14:30",
  }).leaves("/todos?q=check-up", { data: [{ due_time: "14:30" }] }),
  said("Descale the kettle, three days after each time", "create-todo", {
    title: "Descale the kettle",
    recurrence: "FREQ=DAILY;INTERVAL=3",
    recurrence_from: "completion",
  }).leaves("/todos?q=kettle", { data: [{ recurrence_from: "completion" }] }),
  said("Move everything of today to tomorrow", "get-pending-todos", { due: "today" })
    .andThen("update-todo", {
      todo_ids: ["#Send invoice to Acme", "#Prepare slides for Thursday", "#Buy milk"],
      due_date: "2026-11-24",
    })
    .tells(/^3 of 3 done/m)
    .leaves("/todos?due=today", { data: [] }),
  said("Mark everything in Home as done", "get-pending-todos", { category: "Home" })
    .andThen("toggle-todo", {
      todo_ids: ["#Call the insurance", "#Vacuum", "#Put out the bins", "#Fix the tap"],
      completed: true,
    })
    .tells(/^4 of 4 done/m, /next is #\d+/)
    .leaves("/todos/#Vacuum", { is_completed: true }),
  said("Make it oat milk, and put it into Groceries", "update-todo", {
    todo_id: "#Buy milk",
    title: "Buy oat milk",
    new_category: "Groceries",
  }).leaves("/todos/#Buy milk", { title: "Buy oat milk", category: { name: "Groceries" } }),
  said("Delete the photos, no, undo that", "delete-todo", { todo_id: "#Sort photos" })
    .andThen("create-todo", { title: "Sort photos" })
    .tells(/Only the person can bring it back, for 30 days: .*\/account\/actions \(you can make a new one/)
    .leaves("/todos?q=photos", { data: [{ title: "Sort photos" }] }),
  said("Reopen what I finished yesterday", "get-pending-todos", { done_since: "2026-11-22" })
    .andThen("toggle-todo", { todo_id: "#Call the bank", completed: false })
    .tells(/"Call the bank"/)
    .leaves("/todos/#Call the bank", { is_completed: false }),
  said("Skip the bins this week", "update-todo", { todo_id: "#Put out the bins", due_date: "2026-12-01" })
    .tells(/due 2026-12-01.*repeats FREQ=WEEKLY/)
    .leaves("/todos/#Put out the bins", { due_date: "2026-12-01" }),
  said("I forgot three glasses yesterday evening", "complete-habit", {
    habit_id: "#Water",
    date: "2026-11-22",
    amount: 3,
  })
    .tells(/Done on 2026-11-22, 8 of 8 glasses: /)
    .leaves("/habits/#Water", { amount_today: 0, completions_count: 2, streak_count: 2 }),
  said("None of the water I noted for Saturday is true", "complete-habit", {
    habit_id: "#Water",
    date: "2026-11-21",
    undo: true,
  })
    .tells(/0 of 8 glasses/)
    .leaves("/habits/#Water", { recent_amounts: [{ date: "2026-11-22", amount: 5 }], completions_count: 0 }),
  said("Ten glasses from now on", "update-habit", { habit_id: "#Water", target: 10 })
    .tells(/0 of 10 glasses today/)
    .leaves("/habits/#Water", { target: 10, completions_count: 1 }),
  said("Stop counting my water, a tick will do", "update-habit", {
    habit_id: "#Water",
    clear: ["target", "unit"],
  }).leaves("/habits/#Water", { target: null, unit: null, amount_today: null }),
];

type HabitWish = readonly [words: string, habits: string, args: object, left?: object];

/** Changes of habits by one person, each with the fields that it leaves: those of its arguments unless others stand here. */
const changes: readonly HabitWish[] = [
  ["Call my running jogging", "Run", { name: "Jogging" }],
  ["I meditate in the evening from now on", "Meditate", { time_of_day: "evening" }],
  ["Remind me at seven to meditate", "Meditate", { remind_at: "07:00" }],
  ["No reminder for meditating after all", "Meditate", { clear: ["remind_at"] }, { remind_at: null }],
  ["Forgive me two missed days of reading", "Read", { grace_days: 2 }],
  ["A missed day ends my yoga", "Yoga", { grace_days: 0 }],
  ["Yoga is on Tuesdays and Thursdays", "Yoga", { schedule: { weekdays: [2, 4] } }],
  ["I go to the gym only twice a week now", "Gym", { schedule: { times_per_week: 2 } }],
  ["Water the plants every ten days", "Water plants", { schedule: { every_days: 10 } }],
  ["Back to running each day", "Run", { frequency: "daily" }, { frequency: "daily", schedule: null }],
  ["Put journaling under health", "Journal", { category: "Health" }, { category: { name: "Health" } }],
  ["Flossing gets a category Teeth", "Floss", { new_category: "Teeth" }, { category: { name: "Teeth" } }],
  ["Take yoga out of its category", "Yoga", { clear: ["category"] }, { category: null }],
  ["Note with reading: on paper only", "Read", { description: "On paper only" }],
  ["Meditation has no set time any more", "Meditate", { clear: ["time_of_day"] }, { time_of_day: null }],
  ["I want to read twenty pages a day", "Read", { target: 20, unit: "pages" }],
  ["Twelve glasses in this heat", "Water", { target: 12 }],
  ["No gym in my holiday", "Gym", { paused_from: "2026-11-28", paused_through: "2026-12-05" }],
  ["Archive flossing", "Floss", { paused_from: "2026-11-23" }, { paused_through: null }],
  ["And bring flossing back", "Floss", { clear: ["paused_from"] }, { paused_from: null }],
  ["Skip running on Friday", "Run", { skip_dates: ["2026-11-27"] }, { skipped_dates: ["2026-11-27"] }],
  ["I run on Friday after all", "Run", { unskip_dates: ["2026-11-27"] }, { skipped_dates: [] }],
  ["I was ill yesterday", "Read", { skip_dates: ["2026-11-22"] }, { skipped_dates: ["2026-11-22"] }],
  ["All evening habits move to the morning", "Read Journal Floss", { time_of_day: "morning" }],
  ["Neither yoga nor gym tomorrow", "Yoga Gym", { skip_dates: ["2026-11-24"] }, { name: "Yoga" }],
  ["What if I read only weekly?", "Read", { frequency: "weekly", preview: true }, { frequency: "daily" }],
];

const named = (habits: string) => {
  const ids = habits === "Water plants" ? [`#${habits}`] : habits.split(" ").map((name) => `#${name}`);
  return ids.length === 1 ? { habit_id: ids[0] } : { habit_ids: ids };
};
const habitWishes = [
  ...changes.map(([words, habits, args, left = args]) =>
    said(words, "update-habit", { ...named(habits), ...args })
      .tells(/Changed|kipped/)
      .leaves(`/habits/#${habits.replace(/(?<!Water) .*/, "")}`, left),
  ),
  said("What would go with my smoking habit?", "delete-habit", { habit_id: "#Smoke", preview: true })
    .tells(/would be deleted/)
    .leaves("/habits/#Smoke", { completions_count: 5 }),
  ...["Smoke", "Yoga Gym", "Water plants"].map((habits) =>
    said(`Delete ${habits}`, "delete-habit", named(habits))
      .tells(/Deleted habit/, /for 30 days/)
      .leaves(`/habits?q=${encodeURIComponent(habits.replace(" Gym", ""))}`, { data: [] }),
  ),
];

/** Requests of people, carried out by an agent without a model. */
const world = await startWorld(await useStack({ travels: true }));
const [reader, changer, ...writers] = await settle(world, wishes.length + 2);
const costs: Cost[] = [];

describe.each([
  ["a question", questions.map((request) => ({ request, person: reader }))],
  ["a wish about habits", habitWishes.map((request) => ({ request, person: changer }))],
  ["a wish", wishes.map((request, index) => ({ request, person: writers[index] }))],
])("%s", (_, requests) => {
  for (const { request, person } of requests)
    test(request.words, async () => {
      if (!person) throw new Error("There is nobody for this request.");
      costs.push(await carryOut(world, person, request));
    });
});

test("a request takes few calls and tokens on average", () => {
  const average = (of: keyof Cost) => costs.reduce((sum, cost) => sum + cost[of], 0) / costs.length;
  expect(average("calls")).toBeLessThanOrEqual(1.5);
  expect(average("tokens")).toBeLessThanOrEqual(160);
});
