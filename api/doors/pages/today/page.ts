import { isRefused } from "../../../../shared/errors.ts";
import { type Html, html } from "../../../../shared/html.ts";
import { type DaySummary, readDay } from "../../../queries/dashboard/day.ts";
import { page } from "../../../web/page.ts";
import { firstCalendarDay } from "../habit/calendar.ts";
import { yearPicture } from "../habit/year.ts";
import { countInWords, sayDated } from "../kit/dates.ts";
import { tile } from "../kit/tile.ts";
import { liveMark, liveScripts } from "../live/live-mark.ts";
import type { Visit } from "../session/context.ts";
import { accountFrame } from "../session/frame.ts";
import { refusalPage } from "../session/refusal-page.ts";
import { reminderWarning } from "../session/reminder-warning.ts";
import { tickNotice } from "../tick/notice.ts";
import { activityStrip } from "./activity-strip.ts";
import { habitsOfDay } from "./habits.ts";
import { todosOfDay } from "./todos.ts";

/** GET /account: the user's day at a glance. */
export async function showToday(visit: Visit): Promise<Response> {
  const { context, session } = visit;
  const [mark, warning] = await Promise.all([liveMark(visit), reminderWarning(visit)]);
  const user = { userId: session.sub };
  const query = context.query(user, { standbyMayAnswer: true });
  const day = await query.inTurn((own) => readDay(own, firstCalendarDay), false);
  if (isRefused(day)) return refusalPage(context, day.refusal);
  const { today, totals } = day;
  const date = new Date(today.date).toLocaleDateString("en-GB", { dateStyle: "full", timeZone: "UTC" });
  const body = html`${mark}${await tickNotice(visit, context.query(user), today.date)}
    <div id="day" data-part><p class="quiet lead">${date} <span class="zone">${today.timeZone}</span></p>
    ${warning}
    ${tiles(day)}
    ${activityStrip(totals.strip, today.date)}
    ${totals.habits > 0 && yearOfHabits(day)}
    <h2>Habits</h2>
    ${totals.habits === 0 ? welcome(visit) : habitsOfDay(visit, day)}
    ${totals.habits > 0 && html`<p><a href="/account/habits">All ${countInWords(totals.habits, "habit")}</a></p>`}
    <h2>Todos</h2>
    ${todosOfDay(visit, day)}
    <p><a href="/account/todos">All todos</a></p></div>`;
  return page(context.site, { title: "Today", body, scripts: liveScripts, ...accountFrame(visit) });
}

function tiles({ due, counts, totals }: DaySummary): Html {
  const done = due.habits.filter(({ habit }) => habit.is_completed_today).length;
  return html`<ul class="plain tiles">
    ${tile(`${done} of ${due.total}`, "habits done")}
    ${tile(totals.streaks, totals.streaks === 1 ? "streak alive" : "streaks alive")}
    ${tile(counts.overdue + counts.today, "todos due")}</ul>`;
}

/** The year of all habits together, folded on a phone. */
function yearOfHabits({ today: { date }, done }: DaySummary): Html {
  const count = done.values().reduce((sum, one) => sum + one, 0);
  const title = `${countInWords(count, "completion")} of habits since ${sayDated(firstCalendarDay(date), date)}`;
  const sayDone = (times: number): string => (times === 0 ? "nothing" : countInWords(times, "habit"));
  return html`<details class="card narrow-fold"><summary>The year</summary>
    ${yearPicture({ title, today: date, done, sayDone })}</details>`;
}

/** A welcome instead of the list for people without habits. */
function welcome({ context: { config } }: Visit): Html {
  const tokens =
    config.builtInIdentity &&
    html`Scripts use the REST API with a token that
    <a href="${config.authUrl}/profile/api-tokens">you create</a>.`;
  return html`<div class="card"><p>You have no habits yet. <a href="/account/habits/new">Make your first one</a>, or
    <a href="/account/connect">connect an AI agent</a> to <code>${config.baseUrl}/mcp</code> and ask it to set one up:
    it leads you through the sign-in, and you choose what it may do. ${tokens}</p></div>`;
}
