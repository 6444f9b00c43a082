import { seeOther } from "../../../shared/web/redirect.ts";
import type { Visit } from "../visit/context.ts";
import { refusalPage } from "../visit/refusal-page.ts";
import { submit } from "../visit/submit.ts";

/** POST /account/tick: completes a habit or todo, or takes that back. An item already in that state stays in it. */
export async function toggleItem(visit: Visit, form: URLSearchParams): Promise<Response> {
  const done = form.get("done") === "yes";
  const habitId = Number(form.get("habit_id"));
  const todoId = Number(form.get("todo_id"));
  const outcome = habitId
    ? await submit(visit, done ? "habit.complete" : "habit.undo", { habit_id: habitId })
    : await submit(visit, "todo.toggle", { todo_id: todoId, is_completed: done });
  if ("refusal" in outcome && outcome.refusal.code === "overloaded")
    return refusalPage(visit.context, outcome.refusal);
  return seeOther(
    habitId ? `/account#habit-${habitId}` : done ? `/account?done=${todoId}` : `/account#todo-${todoId}`,
  );
}
