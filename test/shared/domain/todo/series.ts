import { parseRecurrence, successor } from "../../../../shared/domain/todo/recurrence.ts";

/** The due dates of a chain of at most that many todos, each completed on its day. */
export function dueDatesOnTime(text: string, start: string, most: number): string[] {
  const parsed = parseRecurrence(text);
  if ("error" in parsed) throw new Error(parsed.error);
  let todo: { due_date: string; rule: string; anchor: string } | null = {
    rule: parsed.rule,
    anchor: start,
    due_date: start,
  };
  const dates: string[] = [];
  while (todo && dates.length < most) {
    dates.push(todo.due_date);
    todo = successor({ ...todo, recurrence_from: "due", today: todo.due_date });
  }
  return dates;
}
