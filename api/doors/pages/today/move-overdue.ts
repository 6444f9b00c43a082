import type { Commands, OutputOf } from "../../../../shared/contracts/catalogue.ts";
import { maxAtOnce } from "../../../../shared/contracts/kernel/many.ts";
import { isRefused } from "../../../../shared/errors.ts";
import { type Html, html } from "../../../../shared/html.ts";
import { readDaySettings } from "../../../queries/engine/context.ts";
import { formToken } from "../../../web/form/form.ts";
import { seeOther } from "../../../web/redirect.ts";
import type { Visit } from "../session/context.ts";
import { refusalPage } from "../session/refusal-page.ts";
import { formKeyOf, submitLogged } from "../session/submit.ts";
import { notedPage, noteOf } from "../tick/note-address.ts";

export const overduePath = "/account/overdue";

/** The button that moves the first overdue todos to today, as many as one command takes. */
export function moveOverdue(visit: Visit, todos: readonly Readonly<{ id: number }>[]): Html {
  const first = todos.slice(0, maxAtOnce);
  const which = first.length < todos.length && html` <span class="count">${first.length}</span>`;
  return html`<form method="post" action="${overduePath}" data-stay>${formToken(visit)}
    ${first.map(({ id }) => html`<input type="hidden" name="todo_id" value="${id}">`)}
    <button class="plain">Move to today${which}</button></form>`;
}

/** POST /account/overdue: moves the named todos to today, as one action. Those that are gone are left out. */
export async function moveToToday(visit: Visit, form: URLSearchParams): Promise<Response> {
  const { context, session } = visit;
  const { today } = await readDaySettings(context.query({ userId: session.sub }));
  const ids = form.getAll("todo_id").filter((id) => /^[1-9]\d{0,15}$/.test(id));
  const fields = {
    items: ids.map((id) => ({ input: { todo_id: Number(id) } })),
    shared: { due_date: today.date },
  };
  const how = { idempotencyKey: formKeyOf(form) };
  const { outcome, key } = await submitLogged(visit, "todo.update-many", fields, how);
  if (isRefused(outcome)) return refusalPage(context, outcome.refusal);
  const { ends } = outcome.body as OutputOf<Commands["todo.update-many"]>;
  const isGone = ends.every(isRefused);
  return seeOther(notedPage(visit, form, isGone ? "told_not_found" : noteOf({ verb: "today", key }), ""));
}
