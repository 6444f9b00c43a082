import { localTime } from "../../../shared/domain/day.ts";
import { isRefused } from "../../../shared/errors.ts";
import { html } from "../../../shared/web/html.ts";
import { page } from "../../../shared/web/page.ts";
import { readActions, readTokens } from "../../queries/action.ts";
import { readReadCounts } from "../../queries/action-reads.ts";
import { type QueryContext, readDaySettings } from "../../queries/context.ts";
import type { Visit } from "../visit/context.ts";
import { accountFrame } from "../visit/frame.ts";
import { refusalPage } from "../visit/refusal-page.ts";
import { controlsOf } from "./controls.ts";
import { filterForm } from "./filter-form.ts";
import { type ActionsFilter, chosenIn, readFilters } from "./filters.ts";
import { findLastVisit } from "./last-visit.ts";
import { actionList } from "./list.ts";
import { runLink } from "./run-link.ts";

const pageSize = 50;

/** GET /account/actions?show=…&q=…&from=…&to=…&token_id=…&…&cursor=…: what was done in the user's name, newest first. */
export async function showActions(visit: Visit): Promise<Response> {
  const { context, session, url } = visit;
  const query = context.query({ userId: session.sub });
  const { timeZone } = await readDaySettings(query);
  const chosen = chosenIn(url);
  const filters = readFilters(chosen, timeZone);
  if (isRefused(filters)) return refusalPage(context, filters.refusal);
  const [found, known] = await Promise.all([
    query.inTurn((own) => readListPage(own, filters), filters.input.q !== undefined),
    readTokens(query, {}),
  ]);
  if (isRefused(found)) return refusalPage(context, found.refusal);
  const { rows, reads, next_cursor } = found;
  const today = localTime(query.now, timeZone).slice(0, 10);
  const isFirst = !chosen.has("cursor");
  chosen.delete("cursor");
  chosen.delete("note");
  const address = (more: Record<string, string>) =>
    `/account/actions?${new URLSearchParams([...chosen, ...Object.entries(more)])}`;
  const { note, controls } = await controlsOf(visit, query, { actions: rows, timeZone, today });
  const isFiltered = chosen.size > 0;
  const { isNew, remember } = await findLastVisit(visit, query.now);
  const shown = { timeZone, today, controls, isNew, isFiltered, hasOlder: next_cursor !== null };
  const body = html`<p class="quiet lead">What agents, scripts and you did here. Times are those of ${timeZone}.</p>
    ${known.tokens.length > 0 && filterForm({ chosen, tokens: known.tokens, timeZone, today })}
    ${note}${runLink(chosen)}${newsNote(rows.filter(isNew).length)}
    ${await actionList(query, { rows, reads }, shown)}
    <nav class="pager" aria-label="Pages">${!isFirst && html`<a href="${address({})}">Newest</a>`}
    ${next_cursor && html`<a href="${address({ cursor: next_cursor })}" rel="next">Older</a>`}</nav>
    ${rows.length > 0 && exportLinks(chosen)}`;
  const headers = isFirst && !isFiltered ? { "Set-Cookie": await remember(rows[0]) } : {};
  return page(context.site, { title: "Actions", body, ...accountFrame(visit) }, { headers });
}

const newsNote = (count: number) =>
  count > 0 &&
  html`<p class="quiet">${count === pageSize ? "All of these are" : count === 1 ? "1 is" : `${count} are`} new since your last visit.</p>`;

async function readListPage(query: QueryContext, { input, foldsReads }: ActionsFilter) {
  const { actions: rows, next_cursor } = await readActions(query, { ...input, limit: pageSize });
  const reads = foldsReads ? await readReadCounts(query, input, next_cursor) : [];
  return { rows, reads, next_cursor };
}

function exportLinks(chosen: URLSearchParams) {
  const address = (format: string) =>
    `/account/actions/export?${new URLSearchParams([...chosen, ["format", format]])}`;
  return html`<p class="quiet small">Download what the filter shows: <a href="${address("csv")}">CSV</a>,
    <a href="${address("jsonl")}">JSON lines</a>.</p>`;
}
