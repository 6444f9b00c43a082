import { isRefused } from "../../../../shared/errors.ts";
import { seeOther } from "../../../web/redirect.ts";
import type { PageAnswer, Visit } from "../session/context.ts";
import { submit } from "../session/submit.ts";
import { showSettings } from "./page.ts";

/** POST /account/settings/reminders/again: sends a failed reminder once more, even if the button is pressed twice. */
export async function sendAgain(visit: Visit, form: URLSearchParams): Promise<PageAnswer> {
  const habit = form.get("habit_id");
  const thing = habit === null ? { todo_id: Number(form.get("todo_id")) } : { habit_id: Number(habit) };
  const delivery_id = form.get("delivery_id") ?? "";
  const outcome = await submit(visit, "reminder.send-again", { ...thing, delivery_id });
  if (!isRefused(outcome)) return seeOther("/account/settings?done=again#past");
  const { code, message } = outcome.refusal;
  if (code !== "conflict" && code !== "not_found") return outcome;
  return showSettings(visit, { again: message });
}
