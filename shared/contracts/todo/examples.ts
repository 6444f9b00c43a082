import type { Static } from "typebox";
import { onlyPage, withUsual } from "../kernel/declared-fields.ts";
import type { Reminder } from "./fields.ts";
import { Todo, todoFields } from "./fields.ts";

const reminder: Static<typeof Reminder> = {
  todo_id: 31,
  remind_at: "2026-11-23T09:00:00.000000Z",
  local_time: "2026-11-23T09:00:00",
  time_zone: "UTC",
  status: "scheduled",
  reaches: "nobody",
  choose_channel_at: "http://localhost:3000/account/settings",
};

export const exampleTodo = withUsual(Todo, todoFields, {
  id: 31,
  title: "Call the dentist",
  due_date: "2026-11-23",
  time_of_day: "morning",
  estimated_minutes: 10,
  context: "phone",
  is_overdue: false,
  reminder,
  category: { id: 3, name: "Health", color: "#16a34a" },
  created_at: "2026-11-16T08:30:04.211893Z",
  updated_at: "2026-11-16T08:30:05.004410Z",
});

const todo_id = exampleTodo.id;
const onlyId = { todo_id };

const aDayLater = {
  ...reminder,
  remind_at: "2026-11-24T09:00:00.000000Z",
  local_time: "2026-11-24T09:00:00",
};

/** One example for each REST route of todos. */
export const todoExamples = {
  list: {
    input: { q: "dentist", due: "upcoming", context: "phone" },
    output: onlyPage("/todos?q=dentist&due=upcoming&context=phone&", [exampleTodo]),
  },
  get: { input: onlyId, output: exampleTodo },
  create: {
    input: { title: "Water the plants", due_date: "2026-11-21", recurrence: "FREQ=WEEKLY;BYDAY=SA" },
    output: withUsual(Todo, todoFields, {
      id: 32,
      title: "Water the plants",
      due_date: "2026-11-21",
      is_overdue: false,
      recurrence: "FREQ=WEEKLY;BYDAY=SA",
      created_at: "2026-11-20T08:30:41.530918Z",
      updated_at: "2026-11-20T08:30:41.530918Z",
    }),
  },
  replace: {
    input: { todo_id, title: "Call the dentist about Thursday", estimated_minutes: 5 },
    output: { ...exampleTodo, title: "Call the dentist about Thursday", estimated_minutes: 5 },
  },
  change: {
    input: { todo_id, due_date: "2026-11-24", time_of_day: null },
    output: { ...exampleTodo, due_date: "2026-11-24", reminder: aDayLater, time_of_day: null },
  },
  remove: { input: onlyId, output: null },
  toggle: {
    input: { todo_id, is_completed: true },
    output: {
      ...exampleTodo,
      is_completed: true,
      completed_at: "2026-11-20T08:30:41.530918Z",
      reminder: { ...reminder, status: "suspended" },
    },
  },
  getReminder: { input: onlyId, output: reminder },
  setReminder: {
    input: { todo_id, remind_at: "2026-11-23T10:30" },
    output: { ...reminder, remind_at: "2026-11-23T10:30:00.000000Z", local_time: "2026-11-23T10:30:00" },
  },
  clearReminder: { input: onlyId, output: null },
} as const;
