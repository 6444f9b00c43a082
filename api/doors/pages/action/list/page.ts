import { localTime } from "../../../../../shared/domain/day/day.ts";
import { isRefused } from "../../../../../shared/errors.ts";
import { html } from "../../../../../shared/html.ts";
import { readDaySettings } from "../../../../queries/engine/context.ts";
import { page } from "../../../../web/page.ts";
import { liveMark, liveScripts } from "../../live/live-mark.ts";
import type { Visit } from "../../session/context.ts";
import { accountFrame } from "../../session/frame.ts";
import { refusalPage } from "../../session/refusal-page.ts";
import { runLink } from "../take-back/run-link.ts";
import { readNote } from "../take-back/undo-note.ts";
import { controlsOf } from "./controls.ts";
import { filterForm } from "./filter-form.ts";
import { chosenIn, readFilters } from "./filters.ts";
import { findLastVisit } from "./last-visit.ts";
import { actionList } from "./list.ts";
import { pageSize, readListPage } from "./list-page.ts";

/** GET /account/actions?show=…&q=…&from=…&to=…&token_id=…&…&cursor=…: what was done in the user's name, newest first. */
export async function showActions(visit: Visit): Promise<Response> {
  const { context, session, url } = visit;
  const mark = await liveMark(visit, { follows: "actions" });
  const query = context.query({ userId: session.sub });
  const { timeZone } = await readDaySettings(query);
  const chosen = chosenIn(url);
  const filters = readFilters(chosen, timeZone);
  if (isRefused(filters)) return refusalPage(context, filters.refusal);
  const isSearch = filters.input.q !== undefined || filters.input.thing !== undefined;
  const found = await query.inTurn((own) => readListPage(own, filters), isSearch);
  if (isRefused(found)) return refusalPage(context, found.refusal);
  const { listed, undos, tokens, next_cursor } = found;
  const { rows } = listed;
  const today = localTime(query.now, timeZone).slice(0, 10);
  const isFirst = !chosen.has("cursor");
  chosen.delete("cursor");
  chosen.delete("note");
  const address = (more: Record<string, string>) =>
    `/account/actions?${new URLSearchParams([...chosen, ...Object.entries(more)])}`;
  const noted = await readNote(visit, query, { timeZone, today });
  const { note, controls } = controlsOf(visit, { rows, undos, noted, now: query.now, timeZone, today });
  const isFiltered = chosen.size > 0;
  const { isNew, remember } = await findLastVisit(visit, query.now);
  const shown = { timeZone, today, controls, isNew, isFiltered, hasOlder: next_cursor !== null };
  const body = html`${mark}<p class="quiet lead">What agents, scripts and you did here. Times are those of ${timeZone}.</p>
    ${tokens.length > 0 && filterForm({ chosen, tokens, timeZone, today })}
    <div id="actions" data-part>${note}${runLink(chosen)}${newsNote(rows.filter(isNew).length)}
    ${await actionList(listed, shown)}
    <nav class="pager" aria-label="Pages">${!isFirst && html`<a href="${address({})}">Newest</a>`}
    ${next_cursor && html`<a href="${address({ cursor: next_cursor })}" rel="next">Older</a>`}</nav></div>
    ${rows.length > 0 && exportLinks(chosen)}`;
  const headers = isFirst && !isFiltered ? { "Set-Cookie": await remember(rows[0]) } : {};
  return page(
    context.site,
    { title: "Actions", body, scripts: liveScripts, ...accountFrame(visit) },
    { headers },
  );
}

const newsNote = (count: number) =>
  count > 0 &&
  html`<p class="quiet">${count === pageSize ? "All of these are" : count === 1 ? "1 is" : `${count} are`} new since your last visit.</p>`;

function exportLinks(chosen: URLSearchParams) {
  const address = (format: string) =>
    `/account/actions/export?${new URLSearchParams([...chosen, ["format", format]])}`;
  return html`<p class="quiet small">Download what the filter shows: <a href="${address("csv")}">CSV</a>,
    <a href="${address("jsonl")}">JSON lines</a>.</p>`;
}
