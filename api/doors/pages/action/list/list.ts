import type { LoggedAction } from "../../../../../shared/contracts/action/contracts.ts";
import { type Html, html } from "../../../../../shared/html.ts";
import { mapGivingWay } from "../../../../../shared/process/give-way.ts";
import type { ReadCount } from "../../../../queries/action/reads.ts";
import type { ListedAction } from "../../../../queries/action/runs.ts";
import { sayDate } from "../../kit/dates.ts";
import { readOf } from "../narrator.ts";
import { actionsPath } from "../paths.ts";
import { localTimeOf, nameOfCaller } from "../words.ts";
import { actionCard, type Listing } from "./card.ts";
import { runCard } from "./run-card.ts";

type Listed = Listing &
  Readonly<{
    entries: readonly ListedAction[];
    /** Counts of calls that only read. */
    reads: readonly ReadCount[];
    isFiltered: boolean;
    hasOlder: boolean;
  }>;

/** Runs and actions by date, and at the end of each date the reads. */
export async function actionList({
  entries,
  reads,
  isFiltered,
  hasOlder,
  ...listing
}: Listed): Promise<Html> {
  const dateOf = (at: Pick<LoggedAction, "called_at">) => localTimeOf(at, listing.timeZone).slice(0, 10);
  const cards = await mapGivingWay(entries, (entry) => ({
    date: dateOf(newestIn(entry)),
    card: cardOf(entry, listing),
  }));
  const dated = Map.groupBy(cards, ({ date }) => date);
  const looked = Map.groupBy(reads, dateOf);
  const dates = [...new Set([...dated.keys(), ...looked.keys()])].toSorted().toReversed();
  if (dates.length === 0) return html`<p class="quiet">${isFiltered ? noneLikeThat(hasOlder) : none}</p>`;
  return html`${dates.map(
    (date) => html`<h2>${sayDate(date, listing.today)}</h2>
      <ul class="plain log">${dated.get(date)?.map(({ card }) => card)}${readCards(date, looked.get(date) ?? [])}</ul>`,
  )}`;
}

/** A run is at the time of its newest action. */
const newestIn = (entry: ListedAction) => ("request_id" in entry ? entry : (entry[0] ?? { called_at: "" }));
const cardOf = (entry: ListedAction, listing: Listing): Html =>
  "request_id" in entry ? actionCard(entry, listing) : runCard(entry, listing);

const none = "Nobody has called a tool yet. What the agents that you connect do will be listed here.";
const noneLikeThat = (hasOlder: boolean): string =>
  hasOlder ? "None of these calls matches, but older ones may." : "No call matches.";

/** One sentence for each token that only read on a day, with a link to its calls. Counts are by quarters of an hour. */
function readCards(date: string, reads: readonly ReadCount[]): readonly Html[] {
  return [...Map.groupBy(reads, ({ token_id }) => token_id)].map(([token_id, own]) => {
    const counts = [...Map.groupBy(own, ({ tool }) => tool)].map(([tool, some]) => ({
      tool,
      count: some.reduce((sum, { reads }) => sum + reads, 0),
    }));
    const mostFirst = counts.toSorted((one, other) => other.count - one.count);
    const looks = mostFirst.map(
      ({ tool, count }) => `${inWords(tool)}${count === 1 ? "" : ` ${count} times`}`,
    );
    const calls = new URLSearchParams({ show: "reads", token_id, from: date, to: date });
    const name = nameOfCaller({ token_id, client_name: own[0]?.client_name ?? null });
    return html`<li class="card folded"><p class="quiet small"><strong>${name}</strong>:
      <a href="${actionsPath}?${calls.toString()}">Looked at ${looks.join("; looked at ")}</a></p></li>`;
  });
}

const inWords = (tool: string): string => readOf(tool) ?? "resources";
