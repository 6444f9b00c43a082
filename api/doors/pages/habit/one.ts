import { localDay } from "../../../../shared/domain/day/day.ts";
import { rhythmOf } from "../../../../shared/domain/habit/rhythm.ts";
import { isRefused } from "../../../../shared/errors.ts";
import { type Html, html } from "../../../../shared/html.ts";
import { type HabitInYear, readHabitInYear } from "../../../queries/habit/year.ts";
import { page } from "../../../web/page.ts";
import { notFoundPage } from "../../../web/router.ts";
import { categoryTag } from "../kit/category-tag.ts";
import { countInWords, sayDated } from "../kit/dates.ts";
import { facts } from "../kit/facts.ts";
import { outlookInWords, streakUnit, weekInWords } from "../kit/habit-words.ts";
import { pathId } from "../kit/path-id.ts";
import { rhythmInWords } from "../kit/rhythm.ts";
import { tile } from "../kit/tile.ts";
import { weekDots } from "../kit/week.ts";
import { liveMark, liveScripts } from "../live/live-mark.ts";
import type { Visit } from "../session/context.ts";
import { accountFrame } from "../session/frame.ts";
import { refusalPage } from "../session/refusal-page.ts";
import { tickNotice } from "../tick/notice.ts";
import { firstCalendarDay } from "./calendar.ts";
import { lastDays } from "./last-days.ts";
import { yearPicture } from "./year.ts";

/** GET /account/habits/:id: one habit with its streak, week and year, and the days that can still be corrected. */
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
