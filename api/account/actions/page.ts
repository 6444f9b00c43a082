import { listActions } from "../../../shared/contracts/action.ts";
import { validate } from "../../../shared/contracts/validate.ts";
import { localTime } from "../../../shared/domain/day.ts";
import { isRefused } from "../../../shared/errors.ts";
import { html } from "../../../shared/web/html.ts";
import { page } from "../../../shared/web/page.ts";
import { queryFields } from "../../http/query-fields.ts";
import { readActions, readTokens } from "../../queries/action.ts";
import { readDaySettings } from "../../queries/context.ts";
import type { Visit } from "../visit/context.ts";
import { accountFrame } from "../visit/frame.ts";
import { refusalPage } from "../visit/refusal-page.ts";
import { controlsOf } from "./controls.ts";
import { filterForm } from "./filter-form.ts";
import { actionList } from "./list.ts";
import { runLink } from "./run-link.ts";

const pageSize = 50;

/** GET /account/actions?token_id=…&tool=…&outcome=…&cursor=…: what every token did over MCP, newest first. */
export async function showActions(visit: Visit): Promise<Response> {
  const { context, session, url } = visit;
  const query = context.query({ userId: session.sub });
  const chosen = new URLSearchParams([...url.searchParams].filter(([, value]) => value !== ""));
  const validated = validate(listActions, { ...queryFields(listActions.input, chosen), limit: pageSize });
  if (isRefused(validated)) return refusalPage(context, validated.refusal);
  const [{ timeZone }, found, known] = await Promise.all([
    readDaySettings(query),
    readActions(query, validated.input),
    readTokens(query, {}),
  ]);
  const today = localTime(query.now, timeZone).slice(0, 10);
  const isFirst = !chosen.has("cursor");
  chosen.delete("cursor");
  chosen.delete("note");
  const address = (more: Record<string, string>) =>
    `/account/actions?${new URLSearchParams([...chosen, ...Object.entries(more)])}`;
  const { note, controls } = await controlsOf(visit, query, { actions: found.actions, timeZone, today });
  const shown = {
    timeZone,
    today,
    controls,
    isFiltered: chosen.size > 0,
    hasOlder: found.next_cursor !== null,
  };
  const body = html`<p class="quiet lead">What agents and apps did for you over MCP. Times are those of ${timeZone}.</p>
    ${known.tokens.length > 0 && filterForm({ chosen, tokens: known.tokens, timeZone, today })}
    ${note}${runLink(chosen)}
    ${await actionList(query, found.actions, shown)}
    <nav class="pager" aria-label="Pages">${!isFirst && html`<a href="${address({})}">Newest</a>`}
    ${found.next_cursor && html`<a href="${address({ cursor: found.next_cursor })}" rel="next">Older</a>`}</nav>`;
  return page(context.site, { title: "Actions", body, ...accountFrame(visit) });
}
