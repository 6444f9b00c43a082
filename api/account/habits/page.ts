import { listHabits } from "../../../shared/contracts/habit-queries.ts";
import { validate } from "../../../shared/contracts/validate.ts";
import type { Today } from "../../../shared/domain/today.ts";
import { isRefused } from "../../../shared/errors.ts";
import { type Html, html } from "../../../shared/web/html.ts";
import { page } from "../../../shared/web/page.ts";
import { queryFields } from "../../http/query-fields.ts";
import { readCategoryRefs } from "../../queries/category.ts";
import { type QueryContext, readDaySettings } from "../../queries/context.ts";
import { type HabitFilters, habitsPerPage, readHabitPage } from "../../queries/habit-overview.ts";
import type { HabitInWeek } from "../../queries/habit-week.ts";
import { orStopped } from "../../queries/search.ts";
import { liveMark, liveScripts } from "../live/live-mark.ts";
import { tickNotice } from "../tick/notice.ts";
import { habitItem } from "../today/habit-item.ts";
import { categoryChoices } from "../visit/category-choices.ts";
import type { Visit } from "../visit/context.ts";
import { countInWords } from "../visit/dates.ts";
import { chosenFilters, filterInput, filterSelect, withoutPage } from "../visit/filter-fields.ts";
import { accountFrame } from "../visit/frame.ts";
import { pager } from "../visit/pager.ts";
import { refusalPage } from "../visit/refusal-page.ts";

const path = "/account/habits";

/** GET /account/habits?q=…&category_id=…&page=…: all habits, those due today first. */
export async function showHabits(visit: Visit): Promise<Response> {
  const { context, session, url } = visit;
  const chosen = chosenFilters(url, ["q", "category_id", "page"]);
  const validated = validate(listHabits, queryFields(listHabits.input, chosen));
  if (isRefused(validated)) return refusalPage(context, validated.refusal);
  const { page: number = 1, ...filters } = validated.input;
  const mark = await liveMark(visit);
  const user = { userId: session.sub };
  const query = context.query(user, { standbyMayAnswer: true });
  const reading = query.inTurn((own) => readAll(own, { ...filters, page: number }), filters.q !== undefined);
  const found = await orStopped("q", reading);
  if (isRefused(found)) return refusalPage(context, found.refusal);
  const { today, habits, total, categories } = found;
  const narrowing = withoutPage(chosen);
  const lastPage = Math.max(1, Math.ceil(total / habitsPerPage));
  const body = html`${mark}${await tickNotice(visit, context.query(user), today.date)}
    <p class="links"><a href="${path}/new">New habit</a>
    <a href="/account/categories">Categories</a></p>
    ${filterForm(narrowing, categories)}
    <div id="habits" data-part>
    ${narrowing.size > 0 && html`<p class="quiet">${countInWords(total, "habit")} found.</p>`}
    ${groups(visit, habits, today)}
    ${pager({ path, chosen, page: number, lastPage })}</div>`;
  return page(context.site, { title: "Habits", body, scripts: liveScripts, ...accountFrame(visit) });
}

async function readAll(query: QueryContext, wanted: HabitFilters & Readonly<{ page: number }>) {
  const { today } = await readDaySettings(query);
  const found = await readHabitPage(query, today, wanted);
  return { today, ...found, categories: await readCategoryRefs(query) };
}

const filterForm = (chosen: URLSearchParams, categories: Parameters<typeof categoryChoices>[0]): Html =>
  html`<form method="get" action="${path}" class="card" role="search">
    <div class="filters pair">${filterInput("search", { name: "q", label: "Search" }, chosen)}
    ${filterSelect({ name: "category_id", label: "Category" }, categoryChoices(categories), chosen)}</div>
    <div class="actions"><button class="plain">Filter</button>
    ${chosen.size > 0 && html`<a href="${path}">Show all</a>`}</div></form>`;

function groups(visit: Visit, habits: readonly HabitInWeek[], { date }: Today): Html {
  if (habits.length === 0) return html`<p class="quiet">There is no such habit.</p>`;
  const parts = [
    ["Due today", habits.filter(({ isDue }) => isDue)],
    ["Not due today", habits.filter(({ isDue }) => !isDue)],
  ] as const;
  return html`${parts.map(
    ([name, own]) =>
      own.length > 0 &&
      html`<h2 class="part">${name}</h2>
        <ul class="plain">${own.map((item) => habitItem(visit, item, date))}</ul>`,
  )}`;
}
