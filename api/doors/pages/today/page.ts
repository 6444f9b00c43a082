import { sayDated } from "../../../../shared/domain/day/say-date.ts";
import { isRefused } from "../../../../shared/errors.ts";
import { type Html, html } from "../../../../shared/html.ts";
import { readCategoryRefs } from "../../../queries/category/read.ts";
import { type DaySummary, readDay } from "../../../queries/dashboard/day.ts";
import type { QueryContext } from "../../../queries/engine/context.ts";
import { firstWeekday, locale } from "../../../web/locale.ts";
import { readWaitingInWords, waitingBeside } from "../action/approval/waiting.ts";
import { firstCalendarDay } from "../habit/calendar.ts";
import { yearPicture } from "../habit/year.ts";
import { countInWords } from "../kit/dates.ts";
import { habitItem } from "../kit/habit-item.ts";
import { liveMark, liveScripts } from "../live/live-mark.ts";
import type { PageAnswer, Visit } from "../session/context.ts";
import { accountPage } from "../session/frame.ts";
import { findLastVisit } from "../session/last-visit.ts";
import { reminderWarning } from "../session/reminder-warning.ts";
import { chosenForm } from "../todo/many.ts";
import { activityStrip } from "./activity-strip.ts";
import { firstHabit, firstTodo } from "./newcomer.ts";
import { newsOfAgents } from "./news.ts";
import { todosOfDay } from "./todos.ts";

/** GET /account: what there is to do today, and below it how it went so far. */
export async function showToday(visit: Visit): Promise<PageAnswer> {
  const { context, session } = visit;
  const [mark, warning] = await Promise.all([liveMark(visit), reminderWarning(visit)]);
  const query = context.query({ userId: session.sub }, { standbyMayAnswer: true });
  const { before } = await findLastVisit(visit, query.now);
  const day = await query.inTurn((own) => readAll(own, before));
  if (isRefused(day)) return day;
  const { today, totals, todos, due } = day;
  const date = new Date(today.date).toLocaleDateString(locale(), { dateStyle: "full", timeZone: "UTC" });
  const done = due.habits.filter(({ habit }) => habit.is_completed_today).length;
  const hasNothing = todos.length + totals.habits === 0;
  const body = html`${mark}
    <div id="day" data-part><p class="quiet lead">${date} <span class="zone">${today.timeZone}</span></p>
    ${warning}${day.news}${waitingBeside(visit, day.waiting)}
    <div class="columns"><section aria-label="Todos">
    ${hasNothing ? firstTodo : todosOfDay(visit, day)}
    ${!hasNothing && html`<p><a href="/account/todos">All todos</a></p>`}</section>
    <section aria-labelledby="habits"><h2 id="habits">Habits
    ${due.total > 0 && html`<span class="quiet small">${done} of ${due.total} done</span>`}</h2>
    ${totals.habits === 0 ? firstHabit(visit) : habitsOfDay(visit, day)}</section></div>
    ${todos.length > 0 && chosenForm(visit, day.categories)}
    ${!hasNothing && pictures(day)}</div>`;
  return accountPage(visit, {
    title: "Today",
    body,
    isWide: true,
    scripts: liveScripts,
  });
}

const readAll = async (own: QueryContext, lastSeen: string | undefined) => ({
  ...(await readDay(own, firstCalendarDay, firstWeekday())),
  categories: await readCategoryRefs(own),
  news: await newsOfAgents(own, lastSeen),
  waiting: await readWaitingInWords(own),
});

/** Pictures come last, because they are looked at and not done. */
function pictures({ today, totals, done }: DaySummary): Html {
  const { date } = today;
  const count = done.values().reduce((sum, one) => sum + one, 0);
  const title = `${countInWords(count, "completion")} of habits since ${sayDated(firstCalendarDay(date), date, locale())}`;
  const sayDone = (times: number): string => (times === 0 ? "nothing" : countInWords(times, "habit"));
  return html`<h2>How it goes</h2>
    ${activityStrip(totals.strip, date)}
    ${totals.habits > 0 && html`<details class="card narrow-fold"><summary>The year</summary>${yearPicture({ title, today: date, done, sayDone })}</details>`}`;
}

function habitsOfDay(
  visit: Visit,
  { due, today, totals }: Pick<DaySummary, "due" | "today" | "totals">,
): Html {
  const { habits, total } = due;
  const list =
    habits.length === 0
      ? html`<p class="quiet">No habit is due today.</p>`
      : html`<ul class="plain">${habits.map((item) => habitItem(visit, item, today.date))}</ul>`;
  const more = total > habits.length && html`<p class="quiet">And ${total - habits.length} more.</p>`;
  return html`${list}${more}
    <p><a href="/account/habits">All ${countInWords(totals.habits, "habit")}</a></p>`;
}
