import { localDay } from "../../../shared/domain/day.ts";
import { rhythmOf } from "../../../shared/domain/rhythm.ts";
import { isRefused } from "../../../shared/errors.ts";
import { type Html, html } from "../../../shared/web/html.ts";
import { page } from "../../../shared/web/page.ts";
import { notFoundPage } from "../../../shared/web/router.ts";
import { type HabitInYear, readHabitInYear } from "../../queries/habit-year.ts";
import { liveMark, liveScripts } from "../live/live-mark.ts";
import { firstCalendarDay } from "../pictures/calendar.ts";
import { weekDots } from "../pictures/week.ts";
import { yearPicture } from "../pictures/year.ts";
import { tickNotice } from "../tick/notice.ts";
import { categoryTag } from "../today/category-tag.ts";
import { facts } from "../today/facts.ts";
import { outlookInWords, streakUnit, weekInWords } from "../today/habit-words.ts";
import { rhythmInWords } from "../today/rhythm.ts";
import { tile } from "../today/tile.ts";
import type { Visit } from "../visit/context.ts";
import { countInWords, sayDated } from "../visit/dates.ts";
import { accountFrame } from "../visit/frame.ts";
import { pathId } from "../visit/path-id.ts";
import { refusalPage } from "../visit/refusal-page.ts";
import { lastDays } from "./last-days.ts";

/** GET /account/habits/:id: one habit with its streak, its week, its year and the days that can still be corrected. */
export async function showHabit(visit: Visit): Promise<Response> {
  const { context, session, url } = visit;
  const mark = await liveMark(visit);
  const user = { userId: session.sub };
  const query = context.query(user, { standbyMayAnswer: true });
  const found = await query.inTurn((own) => readHabitInYear(own, pathId(url), firstCalendarDay), false);
  if (found && isRefused(found)) return refusalPage(context, found.refusal);
  if (!found) return notFoundPage(context.site);
  const { item, today, done } = found;
  const { habit } = item;
  const body = html`${mark}${await tickNotice(visit, context.query(user), today.date)}
    <div id="habit" data-part>${introduction(found)}
    ${tiles(found)}
    <div class="card">${yearPicture({
      title: `${countInWords(done.size, "day")} since ${sayDated(firstCalendarDay(today.date), today.date)}`,
      today: today.date,
      done,
      since: localDay(Date.parse(habit.created_at), today.timeZone, 0),
      sayDone: (times) => (times > 0 ? "done" : "not done"),
    })}</div>
    <h2>The last days</h2>
    ${lastDays(visit, item, { today: today.date, done })}</div>`;
  return page(context.site, { title: habit.name, body, scripts: liveScripts, ...accountFrame(visit) });
}

function introduction({ item: { habit } }: HabitInYear): Html {
  const { id, type, time_of_day, category, description } = habit;
  return html`${facts([rhythmInWords(rhythmOf(habit)), time_of_day, type === "bad" ? "to avoid" : null, categoryTag(category)])}
    ${description && html`<p class="description">${description}</p>`}
    <p class="links"><a href="/account/habits/${id}/edit">Edit</a>
    <a href="/account/actions?thing=habit/${id}">What was done to it</a>
    <a href="/account/habits">All habits</a></p>`;
}

function tiles({ item, today }: HabitInYear): Html {
  const { habit } = item;
  const outlook = outlookInWords(item, today.date);
  return html`<ul class="plain tiles">
    ${tile(habit.streak_count, `${streakUnit(habit, habit.streak_count)} in the streak`)}
    ${tile(habit.longest_streak, `${streakUnit(habit, habit.longest_streak)} in the longest one`)}
    ${tile(habit.completions_count, habit.completions_count === 1 ? "time in all" : "times in all")}</ul>
    <div class="card spread"><p>${outlook ? sentence(outlook) : "No streak at present."}</p>
    <p class="week">${weekDots(item.doneDays, today.date)} ${weekInWords(item)}</p></div>`;
}

const sentence = (words: string): string => `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
