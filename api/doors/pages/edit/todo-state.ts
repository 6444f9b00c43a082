import type { Static } from "typebox";
import type { Todo } from "../../../../shared/contracts/todo/schema.ts";
import { type Html, html } from "../../../../shared/html.ts";
import { sayDay } from "../kit/dates.ts";
import { tickFields } from "../kit/tick-fields.ts";
import type { FormContext } from "./thing-form.ts";

/** The state of a todo, with a button that changes it and a link to its successor. */
export async function todoState(
  { id, is_completed: done, completed_at, next_todo_id, is_overdue }: Static<typeof Todo>,
  { visit, clock }: FormContext,
): Promise<Html> {
  const since = completed_at && sayDay(completed_at, clock.timeZone, clock.today);
  const next = next_todo_id !== null && html` <a href="/account/todos/${next_todo_id}">The next one</a>`;
  return html`<form method="post" action="/account/tick" class="card spread">
    ${tickFields(visit, { kind: "todo", id, day: clock.today })}
    <p>${since ? html`Done: ${since}.${next}` : is_overdue ? "Overdue" : "Not done yet"}</p>
    <button class="plain" name="done" value="${done ? "no" : "yes"}">${done ? "Open again" : "Done"}</button></form>`;
}
