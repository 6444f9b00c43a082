import { listHabits } from "../../../../shared/contracts/habit/queries.ts";
import type { Today } from "../../../../shared/domain/day/day.ts";
import { isRefused } from "../../../../shared/errors.ts";
import { type Html, html } from "../../../../shared/html.ts";
import { queryFields } from "../../../http/input/query-fields.ts";
import { validate } from "../../../http/input/validate.ts";
import { readCategoryRefs } from "../../../queries/category/read.ts";
import { type QueryContext, readDaySettings } from "../../../queries/engine/context.ts";
import { orStopped } from "../../../queries/engine/search.ts";
import type { HabitInWeek } from "../../../queries/habit/week.ts";
import { type HabitFilters, habitSorts, habitsPerPage, readHabitPage } from "../../../queries/habit/week.ts";
import { countInWords } from "../kit/dates.ts";
import {
  categoryChoices,
  chosenFilters,
  chosenSort,
  type FilterChoice,
  filterSelect,
  foldedFilters,
  isWhole,
  withoutPage,
} from "../kit/filter-fields.ts";
import { habitItem } from "../kit/habit-item.ts";
import { isArchived } from "../kit/habit-words.ts";
import { pager } from "../kit/pager.ts";
import { liveMark, liveScripts } from "../live/live-mark.ts";
import type { PageAnswer, Visit } from "../session/context.ts";
import { accountPage } from "../session/frame.ts";

const path = "/account/habits";

/** GET /account/habits?q=…&category_id=…&sort=…&page=…: all habits, those due today first. */
export async function showHabits(visit: Visit): Promise<PageAnswer> {
  const { context, session, url } = visit;
  const chosen = chosenFilters(url, ["q", "category_id", "sort", "page"]);
  const validated = validate(listHabits, queryFields(listHabits.input, chosen));
  if (isRefused(validated)) return validated;
  const { page: number = 1, ...filters } = validated.input;
  const sort = chosenSort(chosen, habitSorts);
  const mark = await liveMark(visit);
  const query = context.query({ userId: session.sub }, { standbyMayAnswer: true });
  const reading = query.inTurn(
    (own) => readAll(own, { ...filters, sort, page: number }),
    filters.q !== undefined,
  );
  const found = await orStopped("q", reading);
  if (isRefused(found)) return found;
  const { today, habits, total, categories } = found;
  const narrowing = withoutPage(chosen);
  const lastPage = Math.max(1, Math.ceil(total / habitsPerPage));
  const body = html`${mark}
    <p class="links"><a href="${path}/new">New habit</a>
    <a href="/account/categories">Categories</a></p>
    ${foldedFilters(path, narrowing, [
      filterSelect({ name: "category_id", label: "Category" }, categoryChoices(categories), narrowing),
      filterSelect({ name: "sort", label: "Order" }, sorts, narrowing, "Due today first"),
    ])}
    <div id="habits" data-part>
    ${!isWhole(narrowing) && html`<p class="quiet">${countInWords(total, "habit")} found.</p>`}
    ${sort ? list(visit, habits, today) : groups(visit, habits, today)}
    ${pager({ path, chosen, page: number, lastPage })}</div>`;
  return accountPage(visit, { title: "Habits", body, scripts: liveScripts });
}

async function readAll(query: QueryContext, wanted: HabitFilters & Readonly<{ page: number }>) {
  const { today } = await readDaySettings(query);
  const found = await readHabitPage(query, today, wanted);
  return { today, ...found, categories: await readCategoryRefs(query) };
}

const sorts: readonly FilterChoice[] = [
  ["name", "Name"],
  ["streak", "Longest streak"],
];

const list = (visit: Visit, habits: readonly HabitInWeek[], { date }: Today): Html =>
  html`<ul class="plain">${habits.map((item) => habitItem(visit, item, date))}</ul>`;

function groups(visit: Visit, habits: readonly HabitInWeek[], today: Today): Html {
  if (habits.length === 0) return html`<p class="quiet">There is no such habit.</p>`;
  const {
    due = [],
    later = [],
    archived = [],
  } = Object.groupBy(habits, (item) =>
    item.isDue ? "due" : isArchived(item, today.date) ? "archived" : "later",
  );
  const parts = [
    ["Due today", due],
    ["Not due today", later],
  ] as const;
  return html`${parts.map(
    ([name, own]) => own.length > 0 && html`<h2 class="part">${name}</h2>${list(visit, own, today)}`,
  )}
    ${archived.length > 0 && html`<details><summary><h2 class="part">Archived <span class="count">${archived.length}</span></h2></summary>${list(visit, archived, today)}</details>`}`;
}
