import { type Request, said } from "./request.ts";

const groceries = "milk bread butter eggs rice tea salt oil pears leeks soap yeast"
  .split(" ")
  .map((title) => ({ title }));

/** Wishes of people, each with the state that it leaves. */
export const wishes: readonly Request[] = [
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
  said("I'm ill, skip the gym", "complete-habit", { habit_id: "#Gym", skip: true })
    .tells(/Skipped today: .*"Gym"/)
    .leaves("/habits/#Gym", { skipped_dates: ["2026-11-23"], is_completed_today: false }),
  said("Pause running over the holidays", "complete-habit", {
    habit_id: "#Run",
    set: { paused_from: "2026-12-20", paused_through: "2027-01-03" },
  }).leaves("/habits/#Run", { paused_from: "2026-12-20", paused_through: "2027-01-03" }),
  said("All evening habits are done", "complete-habit", { habit_ids: ["#Read", "#Journal", "#Floss"] })
    .tells(/^3 of 3 done/m)
    .leaves("/habits/#Read", { is_completed_today: true })
    .leaves("/habits/#Floss", { is_completed_today: true, streak_count: 3 }),
  said("Delete the flossing habit", "complete-habit", { habit_id: "#Floss", delete: true })
    .tells(/Deleted habit #\d+ "Floss"/, /\/account\/actions/)
    .leaves("/habits?q=floss", { data: [] }),
  said("Remind me each evening at nine to journal", "complete-habit", {
    habit_id: "#Journal",
    set: { remind_at: "21:00" },
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
  said("Ten glasses from now on", "complete-habit", { habit_id: "#Water", set: { target: 10 } })
    .tells(/0 of 10 glasses today/)
    .leaves("/habits/#Water", { target: 10, completions_count: 1 }),
  said("Stop counting my water, a tick will do", "complete-habit", {
    habit_id: "#Water",
    set: { clear: ["target", "unit"] },
  }).leaves("/habits/#Water", { target: null, unit: null, amount_today: null }),
];
