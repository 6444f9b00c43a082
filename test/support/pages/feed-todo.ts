import type { FeedTodo } from "../../../api/queries/calendar/read.ts";

/** A todo of a calendar feed, due on a day. */
export const feedTodo: FeedTodo = {
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
