import type { LoggedAction } from "../../../../../shared/contracts/action/contracts.ts";
import type { UndoConflict } from "../../../../../shared/contracts/action/undo.ts";
import type { Commands, OutputOf } from "../../../../../shared/contracts/catalogue.ts";
import { isRefused, type Refused } from "../../../../../shared/errors.ts";
import { type Html, html } from "../../../../../shared/html.ts";
import { readNames } from "../../../../queries/action/things.ts";
import { newestStanding, readParts, type TokenPeriod } from "../../../../queries/action/undone.ts";
import type { QueryContext } from "../../../../queries/engine/context.ts";
import { sayWallTime } from "../../kit/dates.ts";
import type { Visit } from "../../session/context.ts";
import { submitUndo } from "../../session/submit-undo.ts";
import { describeAction } from "../narrator.ts";
import { type Day, listInHtml, localTimeOf, wordsInHtml } from "../words.ts";
import { conflictsInWords, conflictsOf } from "./conflicts.ts";

type Undone = OutputOf<Commands["action.undo"]>["ends"][number]["undone"];

/** The outcome of an undo, with its conflicts. */
export type Preview = Readonly<{ action: LoggedAction; undone: Undone; conflicts: readonly UndoConflict[] }>;

/** Previews of the newest changes in the period that are not undone, as many as one command tries. */
export async function previewUndo(
  visit: Visit,
  query: QueryContext,
  period: TokenPeriod,
): Promise<readonly Preview[] | Refused> {
  const actions = await query.inTurn((own) => newestStanding(own, period));
  if (isRefused(actions)) return actions;
  if (actions.length === 0) return [];
  const outcome = await submitUndo(visit, actions, { preview: true });
  if (isRefused(outcome)) return outcome;
  const ends = new Map(outcome.ends.map((end) => [end.request_id, end]));
  return actions.flatMap((action) => {
    const { undone, conflicts } = ends.get(action.request_id) ?? {};
    return undone && conflicts ? [{ action, undone, conflicts }] : [];
  });
}

/** The page explains the conflicts of this many actions. */
const mostExplained = 20;

/** The changes in the period that were undone in part, with the conflicts from the log. */
export async function readPartlyUndone(
  query: QueryContext,
  period: TokenPeriod,
): Promise<Readonly<{ partly: readonly Preview[]; hasMore: boolean }> | Refused> {
  const parts = await query.inTurn((own) => readParts(own, period, mostExplained + 1));
  if (isRefused(parts)) return parts;
  const partly = parts
    .slice(0, mostExplained)
    .map(({ action, undo }): Preview => ({ action, undone: "part", conflicts: conflictsOf(undo) }));
  return { partly, hasMore: parts.length > mostExplained };
}

const badges: Readonly<Record<Undone, Html | false>> = {
  whole: false,
  part: html`<p class="badge warn">In part</p>`,
  none: html`<p class="badge bad">Stays</p>`,
};

/** Actions under a headline, each with the outcome of its undo; nothing if there are none. */
export async function previewList(
  query: QueryContext,
  { headline, form, previews }: Readonly<{ headline: string; form?: Html; previews: readonly Preview[] }>,
  { timeZone, today, period }: Day & Readonly<{ period: TokenPeriod }>,
): Promise<Html | false> {
  if (previews.length === 0) return false;
  const names = await readNames(
    query,
    previews.map(({ action }) => action),
  );
  const conflicting = previews.filter(({ conflicts }) => conflicts.length > 0).slice(0, mostExplained);
  const explained = await conflictsInWords(query, conflicting, { names, timeZone, except: period.token_id });
  const items = previews.map((preview) => {
    const { action, undone } = preview;
    const sentences = explained[conflicting.indexOf(preview)] ?? [];
    return html`<li class="card"><div class="spread">
      <p class="action"><time datetime="${action.called_at}">${sayWallTime(localTimeOf(action, timeZone), today)}</time>
      <span>${wordsInHtml(describeAction(action, { names, timeZone }).sentence, today)}</span></p>${badges[undone]}</div>
      ${listInHtml("reason small", sentences, today)}</li>`;
  });
  return html`<h2>${headline}</h2>${form}<ul class="plain log">${items}</ul>`;
}
