import { isRefused } from "../../../../../shared/errors.ts";
import { type Html, html } from "../../../../../shared/html.ts";
import { readTokens } from "../../../../queries/action/read.ts";
import { readRules } from "../../../../queries/approval/read.ts";
import { readCategoryRefs } from "../../../../queries/category/read.ts";
import { type QueryContext, readDaySettings } from "../../../../queries/engine/context.ts";
import { choice, selectField } from "../../../../web/form/choice-fields.ts";
import { formToken } from "../../../../web/form/form.ts";
import { field, problem } from "../../../../web/form/form-fields.ts";
import { seeOther } from "../../../../web/redirect.ts";
import { countInWords, sayDay } from "../../kit/dates.ts";
import { categoryChoices } from "../../kit/filter-fields.ts";
import type { PageAnswer, Visit } from "../../session/context.ts";
import { accountPage } from "../../session/frame.ts";
import { submit } from "../../session/submit.ts";
import { actionsPath, agentsPath, approvalsPath } from "../paths.ts";
import { nameOfCaller } from "../words.ts";

/** GET /account/agents: the tokens that have called, and the rules of each. */
export async function showAgents(visit: Visit, error?: string): Promise<PageAnswer> {
  const { url } = visit;
  const found = await visit.query.inTurn(readAgents);
  if (isRefused(found)) return found;
  const { agents } = found;
  const body = html`<p class="quiet lead">Agents and scripts that have called, and what each must ask you for.
    What waits is under <a href="${approvalsPath}">Approvals</a>. To connect one, see <a href="/account/connect">Connect an agent</a>.</p>
    ${problem(error)}${url.searchParams.has("saved") && !error && html`<p class="note" role="status">Its rules are saved.</p>`}
    ${agents.length === 0 && html`<p class="quiet">No agent has called yet.</p>`}
    <ul class="plain">${agents.map((agent, index) => agentCard(visit, agent, found, index))}</ul>`;
  return accountPage(visit, { title: "Agents", body }, { status: error ? 422 : 200 });
}

type Found = Awaited<ReturnType<typeof readAgents>>;
type Agent = Found["agents"][number];

/** The page has a form for each, so it shows those that called last. */
const mostShown = 50;

async function readAgents(query: QueryContext) {
  const { today, timeZone } = await readDaySettings(query);
  const { tokens } = await readTokens(query, {});
  const rules = await readRules(query, today.date);
  const categories = await readCategoryRefs(query);
  const agents = tokens
    .filter(({ token_id }) => token_id !== "")
    .slice(0, mostShown)
    .map((token) => ({ ...token, rules: rules.find(({ token_id }) => token_id === token.token_id) }));
  return { agents, categories, today: today.date, timeZone };
}

function agentCard(visit: Visit, agent: Agent, { categories, today, timeZone }: Found, index: number): Html {
  const { token_id, rules } = agent;
  const name = nameOfCaller(agent);
  const value = (limit: number | null | undefined) => (limit == null ? "" : String(limit));
  const only = rules?.category;
  const chosen = [["", "Any"], ...categoryChoices(categories)].map(([id = "", label = ""]) => ({
    value: id,
    label,
  }));
  const gone = only && only.name === null ? [{ value: String(only.id), label: "A deleted category" }] : [];
  const limit = (key: string, label: string, hint: string, most?: number | null) =>
    field({
      name: key,
      id: `${key}-${index}`,
      label,
      type: "number",
      value: value(most),
      required: false,
      hint,
    });
  return html`<li class="card"><div class="spread"><h2 class="part">${name}</h2>
    <a href="${actionsPath}?${new URLSearchParams({ token_id, show: "all" }).toString()}">What it did<span class="unseen">: ${name}</span></a></div>
    <p class="quiet small">Last call: ${sayDay(agent.last_called_at, timeZone, today)}.${rules && html` ${leftInWords(rules)}`}</p>
    <details${rules && html` open`}><summary>Rules<span class="unseen"> of ${name}</span></summary>
    <form method="post" action="${agentsPath}">${formToken(visit, { token_id })}
    <p>${choice({ name: "asks_deletions", value: "yes", label: "Ask me before it deletes anything", isChosen: rules?.asks_deletions ?? false, type: "checkbox" })}</p>
    ${limit("ask_above", "Ask me before it changes more things at once than", "0: before every change. Empty: never.", rules?.ask_above)}
    ${limit("changes_per_day", "Changes a day, at most", "Empty: no limit.", rules?.changes_per_day)}
    ${limit("deletions_per_day", "Deletions a day, at most", "Empty: no limit.", rules?.deletions_per_day)}
    ${selectField({ name: "category_id", id: `category_id-${index}`, label: "It may only change things in", value: value(only?.id), options: [...chosen, ...gone] })}
    <div class="actions"><button>Save<span class="unseen"> the rules of ${name}</span></button></div></form></details></li>`;
}

function leftInWords({ changes_left, deletions_left }: NonNullable<Agent["rules"]>): string {
  const parts = [
    ...(changes_left === null ? [] : [countInWords(changes_left, "change")]),
    ...(deletions_left === null ? [] : [countInWords(deletions_left, "deletion")]),
  ];
  return parts.length === 0 ? "" : `Left today: ${parts.join(", ")}.`;
}

/** POST /account/agents: saves the rules of one token. */
export async function saveRules(visit: Visit, form: URLSearchParams): Promise<PageAnswer> {
  const numberIn = (name: string) => (form.get(name)?.trim() ? Number(form.get(name)) : null);
  const outcome = await submit(visit, "token.set-rules", {
    token_id: form.get("token_id") ?? "",
    asks_deletions: form.has("asks_deletions"),
    ask_above: numberIn("ask_above"),
    changes_per_day: numberIn("changes_per_day"),
    deletions_per_day: numberIn("deletions_per_day"),
    category_id: numberIn("category_id"),
  });
  if (isRefused(outcome)) return showAgents(visit, outcome.refusal.message);
  return seeOther(`${agentsPath}?saved`);
}
