import type { LoggedAction } from "../../../../../shared/contracts/action/contracts.ts";
import { isRefused } from "../../../../../shared/errors.ts";
import { html } from "../../../../../shared/html.ts";
import { readActions, readReadCounts, readTokens } from "../../../../queries/action/read.ts";
import { type ListedAction, readRuns } from "../../../../queries/action/runs.ts";
import { readNames } from "../../../../queries/action/things.ts";
import { readUndos } from "../../../../queries/action/undone.ts";
import type { QueryContext } from "../../../../queries/engine/context.ts";
import { liveMark, liveScripts } from "../../live/live-mark.ts";
import type { PageAnswer, Visit } from "../../session/context.ts";
import { accountPage } from "../../session/frame.ts";
import { findLastVisit } from "../../session/last-visit.ts";
import { readWaitingInWords, waitingBeside } from "../approval/approvals.ts";
import { actionsPath, agentsPath, runPath } from "../paths.ts";
import { chooseForm, readNote } from "../take-back/undo.ts";
import { readLogDay } from "../words.ts";
import { type ActionsFilter, chosenIn, filterForm, readFilters } from "./filters.ts";
import { actionList, controlsOf } from "./list.ts";

const pageSize = 50;

/** GET /account/actions?show=…&q=…&from=…&to=…&token_id=…&…&cursor=…: actions in the user's name, newest first. */
export async function showActions(visit: Visit): Promise<PageAnswer> {
  const { url, query } = visit;
  const mark = await liveMark(visit, { follows: "actions" });
  const day = await readLogDay(query);
  const chosen = chosenIn(url);
  const filters = readFilters(chosen, day.timeZone);
  if (isRefused(filters)) return filters;
  const found = await query.inTurn((own) => readListed(own, filters), filters.input.q !== undefined);
  if (isRefused(found)) return found;
  const { entries, tokens, next_cursor } = found;
  const newestFirst = entries.flat();
  const isFirst = !chosen.has("cursor");
  chosen.delete("cursor");
  chosen.delete("note");
  const isFiltered = chosen.size > 0;
  const undone = await readNote(visit, query, day);
  const { isNew, remember } = await findLastVisit(visit, query.now);
  const controls = controlsOf(visit, { ...day, undos: found.undos, undone, now: query.now });
  const shown = { ...found, ...day, controls, isNew, isFiltered, hasOlder: next_cursor !== null };
  const isListed = newestFirst.some(({ request_id }) => request_id === undone?.request_id);
  const address = (more: Record<string, string>, path = actionsPath) =>
    `${path}?${new URLSearchParams([...chosen, ...Object.entries(more)])}`;
  const exportPath = `${actionsPath}/export`;
  const body = html`${mark}<p class="quiet lead">What agents, scripts and you did here. Times are those of ${day.timeZone}.
    <a href="${agentsPath}">What agents must ask you for</a></p>
    ${tokens.length > 0 && filterForm(chosen, tokens, day)}
    ${waitingBeside(visit, found.waiting)}
    <div id="actions" data-part>${!isListed && undone?.note}${runLink(filters.input)}${newsNote(newestFirst.filter(isNew).length, newestFirst.length)}${chosen.has("since") && chooseForm(visit)}
    ${await actionList(shown)}
    <nav class="pager" aria-label="Pages">${!isFirst && html`<a href="${address({})}">Newest</a>`}
    ${next_cursor && html`<a href="${address({ cursor: next_cursor })}" rel="next">Older</a>`}</nav></div>
    ${
      entries.length > 0 &&
      html`<p class="quiet small">Download what the filter shows: <a href="${address({ format: "csv" }, exportPath)}">CSV</a>,
      <a href="${address({ format: "jsonl" }, exportPath)}">JSON lines</a>.</p>`
    }`;
  const headers = isFirst && !isFiltered ? { "Set-Cookie": await remember(newestFirst[0]) } : {};
  return accountPage(visit, { title: "Actions", body, scripts: liveScripts }, { headers });
}

/** Statements run one after the other, because together they take one turn. */
async function readListed(query: QueryContext, { input, foldsReads, showsRuns }: ActionsFilter) {
  const { entries, next_cursor } = await (showsRuns ? readRuns : readSingly)(query, input, pageSize);
  const reads = foldsReads ? await readReadCounts(query, input, next_cursor) : [];
  const actions = entries.filter(isAction);
  const undos = await readUndos(query, actions);
  const names = await readNames(query, actions);
  const { tokens } = await readTokens(query, {});
  const waiting = await readWaitingInWords(query);
  return { waiting, entries, reads, undos, names, tokens, next_cursor };
}

async function readSingly(query: QueryContext, input: ActionsFilter["input"], limit: number) {
  const { actions, next_cursor } = await readActions(query, { ...input, limit });
  return { entries: actions as readonly ListedAction[], next_cursor };
}

const isAction = (entry: ListedAction): entry is LoggedAction => "request_id" in entry;

/** A link from the list of one token's actions to undoing all of them, at the top of the list. */
const runLink = ({ token_id, from }: ActionsFilter["input"]) =>
  token_id !== undefined &&
  html`<p><a href="${runPath}?${new URLSearchParams({ token_id, ...(from && { since: from }) }).toString()}">Take back all that it changed…</a></p>`;

const newsNote = (count: number, all: number) =>
  count > 0 &&
  html`<p class="quiet">${count === all ? "All of these are" : count === 1 ? "1 is" : `${count} are`} new since your last visit.</p>`;
