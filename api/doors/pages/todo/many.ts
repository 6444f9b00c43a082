import { commands } from "../../../../shared/contracts/catalogue.ts";
import { maxInAction } from "../../../../shared/contracts/group/contracts.ts";
import type { CategoryRefRow } from "../../../../shared/db/present.ts";
import { addDays, dateOfDay, dayNumber, weekStart } from "../../../../shared/domain/day/day.ts";
import { invalid, isRefused } from "../../../../shared/errors.ts";
import { type Html, html } from "../../../../shared/html.ts";
import type { Fields } from "../../../http/input/validate.ts";
import { operationOf } from "../../../perform.ts";
import { readDaySettings } from "../../../queries/engine/context.ts";
import { selectField } from "../../../web/form/choice-fields.ts";
import { formToken } from "../../../web/form/form.ts";
import { field } from "../../../web/form/form-fields.ts";
import { seeOther } from "../../../web/redirect.ts";
import { categoryChoices } from "../kit/filter-fields.ts";
import { chosenFormId } from "../kit/todo-item.ts";
import type { PageAnswer, Visit } from "../session/context.ts";
import { hereWithoutNotes } from "../session/go-on.ts";
import { formKeyOf, submitLogged } from "../session/submit.ts";
import { notedPage, noteOf, resultNotes } from "../tick/note-address.ts";

export const manyPath = "/account/todos/many";

const formStart = (visit: Visit): Html => formToken(visit, { from: hereWithoutNotes(visit) });

/** The button that moves the listed overdue todos to today; it has their number if there are more. */
export function moveOverdue(visit: Visit, todos: readonly Readonly<{ id: number }>[], count: number): Html {
  const which = todos.length < count && html` <span class="count">${todos.length}</span>`;
  return html`<form method="post" action="${manyPath}" data-stay>${formStart(visit)}
    ${todos.map(({ id }) => html`<input type="hidden" name="todo_id" value="${id}">`)}
    <button class="plain" name="act" value="today">Move to today${which}</button></form>`;
}

/** The form of the boxes in the rows. It is shown while one of them is chosen. */
export function chosenForm(visit: Visit, categories: readonly CategoryRefRow[]): Html {
  const options = [["", "As it is"], ["none", "None"], ...categoryChoices(categories)].map(
    ([value = "", label = ""]) => ({ value, label }),
  );
  return html`<form method="post" action="${manyPath}" id="${chosenFormId}" class="chosen card" data-stay>
    ${formStart(visit)}
    <details><summary>Edit</summary>${field({ name: "title", label: "Title", required: false })}
    <div class="fields">${field({ name: "due_date", label: "Due date", type: "date", required: false })}
    ${selectField({ name: "category", label: "Category", value: "", options })}
    ${selectField({ name: "is_important", label: "Important", value: "", options: importance })}</div>
    <button name="act" value="edited">Save</button></details>
    <button class="plain" name="act" value="done">Done</button>
    <button class="plain" name="act" value="tomorrow">Tomorrow</button>
    <button class="plain" name="act" value="week">Next week</button></form>`;
}

const importance = [
  { value: "", label: "As it is" },
  { value: "yes", label: "Yes" },
  { value: "no", label: "No" },
];

/** POST /account/todos/many: changes the chosen todos as one action. Those that are gone are left out. */
export async function changeMany(visit: Visit, form: URLSearchParams): Promise<PageAnswer> {
  const { today } = await readDaySettings(visit.query);
  const act = form.get("act") ?? "";
  const ids = form.getAll("todo_id");
  const shared = changesOf(form, act, today.date);
  const name = act === "done" ? "todo.toggle" : "todo.update";
  if (ids.length === 0 || ids.length > maxInAction) return wrongCount;
  if (ids.length > 1 && "title" in shared) return oneTitle;
  const how = { idempotencyKey: formKeyOf(form), tool: name } as const;
  const [first = {}, ...others] = ids.map((id) => ({ todo_id: Number(id), ...shared }));
  const operations = [first, ...others].map((fields) => operationOf(commands[name], fields));
  const { outcome, key } =
    others.length === 0
      ? await submitLogged(visit, name, first, how)
      : await submitLogged(visit, "batch.run-as-one", { operations }, how);
  if (isRefused(outcome)) {
    const { refusal } = outcome;
    const end = refusal.isSoAlready ? "already" : refusal.code;
    return resultNotes.has(end) ? seeOther(notedPage(visit, form, `told_${end}`, "")) : outcome;
  }
  return seeOther(notedPage(visit, form, noteOf({ verb: act, key }), ""));
}

const wrongCount = invalid({ todo_id: [`Choose 1 to ${maxInAction} todos at once.`] });
const oneTitle = invalid({ title: ["Choose one todo to change its title."] });

/** The fields of an act; empty fields of the form stay as they are. */
function changesOf(form: URLSearchParams, act: string, today: string): Fields {
  const [title, due_date, category, important] = ["title", "due_date", "category", "is_important"].map(
    (name) => form.get(name) ?? "",
  );
  switch (act) {
    case "done":
      return { is_completed: true };
    case "today":
      return { due_date: today };
    case "tomorrow":
      return { due_date: addDays(today, 1) };
    case "week":
      return { due_date: dateOfDay(weekStart(dayNumber(today)) + 7) };
    default:
      return {
        ...(title?.trim() && { title }),
        ...(due_date && { due_date }),
        ...(important && { is_important: important === "yes" }),
        ...(category && { category_id: category === "none" ? null : Number(category) }),
      };
  }
}
