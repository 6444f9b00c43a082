import { isRefused } from "../../../shared/errors.ts";
import { formToken } from "../../../shared/web/form.ts";
import { type Html, html } from "../../../shared/web/html.ts";
import type { QueryContext } from "../../queries/context.ts";
import { readTodo } from "../../queries/todo.ts";
import type { Visit } from "../visit/context.ts";

/** Shown when a todo was ticked off (`?done=…`): it has left the list, so it can be taken back here. */
export async function undoNotice(visit: Visit, query: QueryContext): Promise<Html | null> {
  const id = Number(visit.url.searchParams.get("done"));
  if (!Number.isSafeInteger(id) || id < 1) return null;
  const todo = await readTodo(query, { todo_id: id });
  if (isRefused(todo) || !todo.is_completed) return null;
  return html`<div class="note spread" role="status"><p>Done: <strong>${todo.title}</strong></p>
    <form method="post" action="/account/tick">${formToken(visit)}
    <input type="hidden" name="todo_id" value="${id}">
    <button class="link" name="done" value="no">Undo</button></form></div>`;
}
