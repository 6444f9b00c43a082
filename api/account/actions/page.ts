import { listActions } from "../../../shared/contracts/tool-call.ts";
import { validate } from "../../../shared/contracts/validate.ts";
import { localTime } from "../../../shared/domain/day.ts";
import { isRefused } from "../../../shared/errors.ts";
import { html } from "../../../shared/web/html.ts";
import { queryFields } from "../../http/query-fields.ts";
import { readDaySettings } from "../../queries/context.ts";
import * as actions from "../../queries/tool-call.ts";
import type { Visit } from "../context.ts";
import { frame } from "../frame.ts";
import { page, refusalPage } from "../respond.ts";
import { filterForm } from "./filter-form.ts";
import { actionList } from "./list.ts";

const pageSize = 50;

/** GET /account/actions?token_id=…&tool=…&outcome=…&cursor=…: what every token did over MCP, newest first. */
export async function showActions(visit: Visit): Promise<Response> {
  const { account, session, url } = visit;
  const query = account.query({ userId: session.sub });
  const chosen = new URLSearchParams([...url.searchParams].filter(([, value]) => value !== ""));
  const validated = validate(listActions, { ...queryFields(listActions.input, chosen), limit: pageSize });
  if (isRefused(validated)) return refusalPage(account, validated.refusal);
  const [{ timeZone }, found, known] = await Promise.all([
    readDaySettings(query),
    actions.list(query, validated.input),
    actions.tokens(query, {}),
  ]);
  const today = localTime(query.now, timeZone).slice(0, 10);
  const isFirst = !chosen.has("cursor");
  chosen.delete("cursor");
  const address = (more: Record<string, string>) =>
    `/account/actions?${new URLSearchParams([...chosen, ...Object.entries(more)])}`;
  const body = html`<p class="quiet lead">What agents and apps did for you over MCP. Times are those of ${timeZone}.</p>
    ${known.tokens.length > 0 && filterForm({ chosen, tokens: known.tokens, timeZone, today })}
    ${await actionList(query, found.actions, { timeZone, today, isFiltered: chosen.size > 0 })}
    <nav class="pager" aria-label="Pages">${!isFirst && html`<a href="${address({})}">Newest</a>`}
    ${found.next_cursor && html`<a href="${address({ cursor: found.next_cursor })}" rel="next">Older</a>`}</nav>`;
  return page(account, { title: "Actions", body, ...frame(visit) });
}
