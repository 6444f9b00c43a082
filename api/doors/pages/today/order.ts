import type { TodoItem } from "../kit/todo-item.ts";

type Timed = Pick<TodoItem, "due_time" | "time_of_day"> &
  Readonly<{ reminder: Readonly<{ local_time: string }> | null }>;

/** Sorts the todos of a day by time: a part of the day stands for its end, and todos without any time come last. */
export const inOrderOfDay = <Todo extends Timed>(todos: readonly Todo[], today: string): readonly Todo[] =>
  todos.toSorted((a, b) => timeOf(a, today).localeCompare(timeOf(b, today)));

const ends = { morning: "11:59", afternoon: "17:59", evening: "23:59" } as const;

/** The due time, else the time of today's reminder, else the end of the part of the day. */
function timeOf({ due_time, time_of_day, reminder }: Timed, today: string): string {
  if (due_time !== null) return due_time;
  if (reminder?.local_time.startsWith(today)) return reminder.local_time.slice(11, 16);
  return time_of_day === null ? "24:00" : ends[time_of_day];
}
