import { isRefused } from "../../../../shared/errors.ts";
import { readQuickAdd } from "../../../queries/quick-add/quick-add.ts";
import { createFrom } from "../edit/create.ts";
import { draftOfQuickHabit, habitForm } from "../edit/habit-form.ts";
import { openForm } from "../edit/thing-form.ts";
import { draftOfQuickTodo, todoForm } from "../edit/todo-form.ts";
import type { PageAnswer, Visit } from "../session/context.ts";
import { notedPage, noteOf } from "../tick/note-address.ts";

/** POST /account/add: adds a line in words at once; the next page says what was read, with undo and edit. */
export async function addLine(visit: Visit, sent: URLSearchParams): Promise<PageAnswer> {
  const context = await openForm(visit);
  if (isRefused(context)) return context;
  const quick = readQuickAdd(sent.get("line") ?? "", context.clock);
  const leadsTo = (key: Readonly<{ called_at: string; request_id: string }>) =>
    notedPage(visit, sent, noteOf({ verb: "made", key }), "");
  const rest = { errors: {}, sent, leadsTo };
  return quick.kind === "todo"
    ? createFrom(todoForm, context, { draft: draftOfQuickTodo(quick, context), ...rest })
    : createFrom(habitForm, context, { draft: draftOfQuickHabit(quick, context), ...rest });
}
