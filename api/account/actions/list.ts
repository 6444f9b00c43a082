import { localTime } from "../../../shared/domain/day.ts";
import { type Html, html } from "../../../shared/web/html.ts";
import type { QueryContext } from "../../queries/context.ts";
import { readDashboard } from "../../queries/dashboard.ts";
import { namesOf } from "../../queries/names.ts";
import { sayDate } from "../visit/dates.ts";
import { actionCard, type Listing } from "./card.ts";
import type { LoggedRow } from "./logged-row.ts";
import { idsNamedIn } from "./named-ids.ts";

type Shown = Pick<Listing, "timeZone" | "today" | "controls"> &
  Readonly<{ isFiltered: boolean; hasOlder: boolean }>;

/** The actions, each under the user's day on which it was. */
export async function actionList(
  query: QueryContext,
  rows: readonly LoggedRow[],
  { isFiltered, hasOlder, ...shown }: Shown,
): Promise<Html> {
  if (rows.length === 0) {
    const noneLikeThat = hasOlder
      ? "None of these calls is like that, but older ones may be."
      : "No call is like that.";
    return html`<p class="quiet">${isFiltered ? noneLikeThat : none}</p>`;
  }
  const [names, addressOf] = await Promise.all([namesOf(query, idsNamedIn(rows)), findAddresses(query)]);
  const listing: Listing = { ...shown, names, addressOf };
  const days = Map.groupBy(rows, (row) => dayOf(row, shown.timeZone));
  return html`${[...days].map(
    ([date, rows]) => html`<h2>${sayDate(date, shown.today)}</h2>
      <ul class="plain log">${rows.map((row) => actionCard(row, listing))}</ul>`,
  )}`;
}

const none = "Nobody has called a tool yet. What the agents that you connect do will be listed here.";

const dayOf = ({ called_at }: LoggedRow, timeZone: string): string =>
  localTime(Date.parse(called_at), timeZone).slice(0, 10);

/** What is shown on the page Today can be linked to. */
async function findAddresses(query: QueryContext): Promise<Listing["addressOf"]> {
  const { habits, todos } = await readDashboard(query, {});
  const shown = new Set([...habits.map(({ id }) => `habit-${id}`), ...todos.map(({ id }) => `todo-${id}`)]);
  return ({ kind, id }) => (shown.has(`${kind}-${id}`) ? `/account#${kind}-${id}` : undefined);
}
