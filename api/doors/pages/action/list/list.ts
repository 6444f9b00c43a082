import { localTime } from "../../../../../shared/domain/day/day.ts";
import { type Html, html } from "../../../../../shared/html.ts";
import { mapGivingWay } from "../../../../http/give-way.ts";
import type { ThingNames } from "../../../../queries/action/names.ts";
import { sayDate } from "../../kit/dates.ts";
import type { LoggedRow } from "../words/logged-row.ts";
import { actionCard, type Listing } from "./card.ts";
import { foldReads, readsCard } from "./folded-reads.ts";
import type { ListPage } from "./list-page.ts";

type Shown = Pick<Listing, "timeZone" | "today" | "controls" | "isNew"> &
  Readonly<{ isFiltered: boolean; hasOlder: boolean }>;

/** The actions, each under the user's day on which it was, and at the end of each day what was only looked at. */
export async function actionList(
  { rows, reads, names }: ListPage,
  { isFiltered, hasOlder, ...shown }: Shown,
): Promise<Html> {
  const folded = foldReads(reads, shown.timeZone);
  const dateOf = ({ called_at }: LoggedRow) => localTime(Date.parse(called_at), shown.timeZone).slice(0, 10);
  const dates = [...new Set([...rows.map(dateOf), ...folded.map(({ date }) => date)])]
    .toSorted()
    .toReversed();
  if (dates.length === 0) return html`<p class="quiet">${isFiltered ? noneLikeThat(hasOlder) : none}</p>`;
  const listing: Listing = { ...shown, names, addressOf: addressesOf(names) };
  const cards = await mapGivingWay(rows, (row) => ({ date: dateOf(row), card: actionCard(row, listing) }));
  const dated = Map.groupBy(cards, ({ date }) => date);
  return html`${dates.map(
    (date) => html`<h2>${sayDate(date, shown.today)}</h2>
      <ul class="plain log">${dated.get(date)?.map(({ card }) => card)}
      ${folded.filter((day) => day.date === date).map(readsCard)}</ul>`,
  )}`;
}

const none = "Nobody has called a tool yet. What the agents that you connect do will be listed here.";
const noneLikeThat = (hasOlder: boolean): string =>
  hasOlder ? "None of these calls is like that, but older ones may be." : "No call is like that.";

/** What there still is has a page to link to. */
function addressesOf({ habits, todos, categories }: ThingNames): Listing["addressOf"] {
  return ({ kind, id }) => {
    if (kind === "habit") return habits.has(id) ? `/account/habits/${id}` : undefined;
    if (kind === "todo") return todos.has(id) ? `/account/todos/${id}` : undefined;
    return categories.has(id) ? `/account/categories/${id}` : undefined;
  };
}
