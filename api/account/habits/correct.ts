import { isRefused } from "../../../shared/errors.ts";
import { seeOther } from "../../../shared/web/redirect.ts";
import { notFoundPage } from "../../../shared/web/router.ts";
import { statusOf } from "../../http/refusal-response.ts";
import type { Visit } from "../visit/context.ts";
import { pathId } from "../visit/path-id.ts";
import { submit } from "../visit/submit.ts";
import { showHabit } from "./one.ts";

/** POST /account/habits/:id/days: completes one of the last days, or takes its completion back. */
export async function correctDay(visit: Visit, form: URLSearchParams): Promise<Response> {
  const habit_id = pathId(visit.url);
  const date = form.get("date") ?? "";
  const command = form.get("done") === "yes" ? "habit.complete" : "habit.undo";
  const outcome = await submit(visit, command, { habit_id, date });
  // A day that is already in the wanted state stays in it.
  if (!isRefused(outcome) || outcome.refusal.code === "conflict")
    return seeOther(`/account/habits/${habit_id}#day-${encodeURIComponent(date)}`);
  const { code, message, errors } = outcome.refusal;
  if (code === "not_found") return notFoundPage(visit.site);
  const reason = errors?.date?.[0]?.replace(/^The date field/, "The day") ?? message;
  return showHabit(visit, { text: reason, status: statusOf(code) });
}
