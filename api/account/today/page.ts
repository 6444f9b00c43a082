import { type Html, html } from "../../../shared/web/html.ts";
import { page } from "../../../shared/web/page.ts";
import { readDaySettings } from "../../queries/context.ts";
import { readDashboard } from "../../queries/dashboard.ts";
import { liveMark, liveScripts } from "../live/live-mark.ts";
import { tickNotice } from "../tick/notice.ts";
import type { Visit } from "../visit/context.ts";
import { accountFrame } from "../visit/frame.ts";
import { activityStrip } from "./activity-strip.ts";
import { habitList } from "./habits.ts";
import { todoList } from "./todos.ts";

/** GET /account: the user's day at a glance. */
export async function showToday(visit: Visit): Promise<Response> {
  const { context, session } = visit;
  const mark = await liveMark(visit);
  const user = { userId: session.sub };
  const query = context.query(user, { standbyMayAnswer: true });
  const [{ today }, day] = await Promise.all([readDaySettings(query), readDashboard(query, {})]);
  const { habits, todos, stats } = day;
  const done = habits.filter((habit) => habit.is_completed_today).length;
  const date = new Date(today.date).toLocaleDateString("en-GB", { dateStyle: "full", timeZone: "UTC" });
  const body = html`${mark}${await tickNotice(visit, context.query(user), today.date)}
    <div id="day" data-part><p class="quiet lead">${date} <span class="zone">${today.timeZone}</span></p>
    <ul class="plain tiles">
    ${tile(`${done} of ${habits.length}`, "habits done")}
    ${tile(stats.total_streak, "in all streaks")}
    ${tile(stats.pending_todos, "todos pending")}
    </ul>
    ${activityStrip(day.activity_strip, today.date)}
    <h2>Habits</h2>
    ${stats.total_habits === 0 ? welcome(visit) : habitList(visit, habits, today.date)}
    <h2>Todos</h2>
    ${todoList(visit, todos, { today: today.date, total: stats.pending_todos })}</div>`;
  return page(context.site, { title: "Today", body, scripts: liveScripts, ...accountFrame(visit) });
}

const tile = (number: number | string, label: string) => html`<li class="card tile">
  <strong>${number}</strong> <span class="quiet">${label}</span></li>`;

/** Shown instead of the list to people who have no habits yet. */
function welcome({ context: { config } }: Visit): Html {
  const tokens =
    config.builtInIdentity &&
    html`Scripts use the REST API with a token that
    <a href="${config.authUrl}/profile/api-tokens">you create</a>.`;
  return html`<div class="card"><p>You have no habits yet. <a href="/account/connect">Connect an AI agent</a> to
    <code>${config.baseUrl}/mcp</code> and ask it to set one up: it leads you through the sign-in, and you choose what
    it may do. ${tokens}</p></div>`;
}
