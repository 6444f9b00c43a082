import type { Commands, OutputOf } from "../../../../../shared/contracts/catalogue.ts";
import { localTime } from "../../../../../shared/domain/day/day.ts";
import { isRefused, type Refused } from "../../../../../shared/errors.ts";
import { type Html, html } from "../../../../../shared/html.ts";
import { namesOf, type ThingNames } from "../../../../queries/action/names.ts";
import { readParts } from "../../../../queries/action/undone.ts";
import type { QueryContext } from "../../../../queries/engine/context.ts";
import { sayWallTime } from "../../kit/dates.ts";
import type { Visit } from "../../session/context.ts";
import { submitUndo } from "../../session/submit-undo.ts";
import { describeAction } from "../words/describe.ts";
import type { LoggedRow } from "../words/logged-row.ts";
import { idsNamedIn } from "../words/named-ids.ts";
import { type Word, wordsInHtml } from "../words/words.ts";
import type { Obstacle } from "./conflict-words.ts";
import { stayedAt, tellObstacles } from "./conflicts.ts";
import { newestStanding, type RunSelection } from "./run-selection.ts";
import type { Day } from "./undo-note.ts";

type End = OutputOf<Commands["action.undo"]>["ends"][number];
type Undone = End["undone"];

/** What becomes of an action when it is taken back, with a sentence for each thing that has to stay. */
export type Fate = Readonly<{ action: LoggedRow; undone: Undone; told: readonly (readonly Word[])[] }>;

/** For so many the page says who changed what since. */
const mostExplained = 20;

/** Foresees the fate of the newest changes of the selection that stand, as many as one command tries. */
export async function foreseeFates(
  visit: Visit,
  query: QueryContext,
  { selection, timeZone }: Readonly<{ selection: RunSelection; timeZone: string }>,
): Promise<readonly Fate[] | Refused> {
  const actions = await query.inTurn((own) => newestStanding(own, selection), false);
  if (isRefused(actions)) return actions;
  if (actions.length === 0) return [];
  const foreseen = await submitUndo(visit, actions, { preview: true });
  if (isRefused(foreseen)) return foreseen;
  const ends = new Map(foreseen.ends.map((end) => [end.request_id, end]));
  const all = actions.flatMap((action): Ended[] => {
    const end = ends.get(action.request_id);
    return end ? [{ action, undone: end.undone, obstacles: end.conflicts }] : [];
  });
  return explain(query, all, { timeZone, except: selection.token_id });
}

type Ended = Readonly<{ action: LoggedRow; undone: Undone; obstacles: readonly Obstacle[] }>;

async function explain(
  query: QueryContext,
  all: readonly Ended[],
  how: Parameters<typeof tellObstacles>[2],
): Promise<readonly Fate[]> {
  const hindered = all.filter(({ obstacles }) => obstacles.length > 0).slice(0, mostExplained);
  const told = await tellObstacles(query, hindered, how);
  return all.map((one) => ({ ...one, told: told[hindered.indexOf(one)] ?? [] }));
}

type PartFates = Readonly<{ told: readonly Fate[]; hasMore: boolean }>;

/** What was taken back in part, of which the log says what had to stay. */
export async function readPartFates(
  query: QueryContext,
  { selection, timeZone }: Readonly<{ selection: RunSelection; timeZone: string }>,
): Promise<PartFates | Refused> {
  const parts = await query.inTurn((own) => readParts(own, selection, mostExplained + 1), false);
  if (isRefused(parts)) return parts;
  const all = parts
    .slice(0, mostExplained)
    .map(({ action, undo }): Ended => ({ action, undone: "part", obstacles: stayedAt(undo) }));
  const told = await explain(query, all, { timeZone, except: selection.token_id });
  return { told, hasMore: parts.length > mostExplained };
}

const badges: Readonly<Record<Undone, Html | false>> = {
  whole: false,
  part: html`<p class="badge warn">In part</p>`,
  none: html`<p class="badge bad">Stays</p>`,
};

/** The list of actions with what becomes of each. */
export async function fateList(query: QueryContext, fates: readonly Fate[], day: Day): Promise<Html> {
  const names = await namesOf(query, idsNamedIn(fates.map(({ action }) => action)));
  return html`<ul class="plain log">${fates.map((fate) => fateItem(fate, names, day))}</ul>`;
}

function fateItem({ action, undone, told }: Fate, names: ThingNames, { timeZone, today }: Day): Html {
  const reading = { today, addressOf: () => undefined };
  const at = sayWallTime(localTime(Date.parse(action.called_at), timeZone), today);
  const { words } = describeAction(action, { names, timeZone });
  return html`<li class="card"><div class="spread">
    <p class="deed"><time datetime="${action.called_at}">${at}</time>
    <span>${wordsInHtml(words, reading)}</span></p>${badges[undone]}</div>
    ${told.length > 0 && html`<ul class="reason small">${told.map((sentence) => html`<li>${wordsInHtml(sentence, reading)}</li>`)}</ul>`}</li>`;
}
