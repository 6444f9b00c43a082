import { isRefused } from "../../../../../shared/errors.ts";
import { type Html, html } from "../../../../../shared/html.ts";
import { readTokens } from "../../../../queries/action/read.ts";
import { readNames, type ThingNames } from "../../../../queries/action/things.ts";
import {
  type AskedChange,
  readEnded,
  readRules,
  readStates,
  readWaiting,
} from "../../../../queries/approval/read.ts";
import { readCategoryRefs } from "../../../../queries/category/read.ts";
import { type QueryContext, readDaySettings } from "../../../../queries/engine/context.ts";
import { formToken } from "../../../../web/form/form.ts";
import { choice, field, problem, selectField } from "../../../../web/form/form-fields.ts";
import { safeNext, seeOther } from "../../../../web/redirect.ts";
import { categoryChoices, optionsOf } from "../../kit/lists.ts";
import { countInWords, sayDay, sayWallTime } from "../../kit/words.ts";
import { liveMark, liveScripts } from "../../live/live.ts";
import type { PageAnswer, Visit } from "../../session/context.ts";
import { accountPage } from "../../session/frame.ts";
import { hereWithoutNotes, withParameter } from "../../session/go-on.ts";
import { submit } from "../../session/submit.ts";
import { describeAction } from "../narrator.ts";
import {
  actionsPath,
  agentsPath,
  approvalsPath,
  type Day,
  listInHtml,
  localTimeOf,
  nameOfCaller,
  readLogDay,
  wordsInHtml,
} from "../words.ts";

/** GET /account/approvals: what agents ask for, and what became of the last requests. */
export async function showApprovals(visit: Visit): Promise<PageAnswer> {
  const { query } = visit;
  const mark = await liveMark(visit, { follows: "actions" });
  const found = await query.inTurn(readAll);
  if (isRefused(found)) return found;
  const { waiting, ended, shown } = found;
  const body = html`${mark}<p class="quiet lead">Agents ask you here before they act. <a href="${agentsPath}">Agent rules</a></p>
    ${decidedNote(visit)}
    <div id="approvals" data-part>${waiting ? waitingForm(visit, waiting) : html`<p class="empty">Nothing waits.</p>`}
    ${ended.length > 0 && html`<h2>Decided</h2><ul class="plain log">${ended.map((one) => askedCard(one, shown, { badge: badges[one.state] }))}</ul>`}</div>`;
  return accountPage(visit, { title: "Approvals", body, scripts: liveScripts });
}

async function readAll(query: QueryContext) {
  const waiting = await readWaitingInWords(query);
  const ended = await readEnded(query);
  return { waiting, ended, shown: await readAskedOnDay(query, ended) };
}

async function readAskedOnDay(query: QueryContext, asked: readonly AskedChange[]): Promise<AskedOnDay> {
  const actions = asked.map(({ action }) => action);
  return { names: await readNames(query, actions), ...(await readLogDay(query)) };
}

const badges: Readonly<Record<AskedChange["state"], Html>> = {
  waiting: html``,
  approved: html`<p class="badge">Being carried out</p>`,
  done: html`<p class="badge">Done</p>`,
  declined: html`<p class="badge">Declined</p>`,
  expired: html`<p class="badge">Expired</p>`,
  outdated: html`<p class="badge warn">Left alone: it was changed meanwhile</p>`,
};

/** Other pages show the first ones. */
const mostBeside = 3;

type WaitingInWords = Readonly<{ waiting: readonly AskedChange[]; shown: AskedOnDay }>;

export async function readWaitingInWords(query: QueryContext): Promise<WaitingInWords | undefined> {
  const waiting = await readWaiting(query);
  if (waiting.length === 0) return undefined;
  return { waiting, shown: await readAskedOnDay(query, waiting) };
}

/** The first requests beside what another page is about, and what was decided last. */
export function waitingBeside(visit: Visit, found: WaitingInWords | undefined): Html {
  const note = decidedNote(visit);
  if (!found) return html`<div id="approvals" data-part>${note}</div>`;
  const { waiting, shown } = found;
  const more =
    waiting.length > mostBeside && html`<p><a href="${approvalsPath}">All ${waiting.length}</a></p>`;
  return html`<section id="approvals" data-part aria-labelledby="waiting">${note}<h2 id="waiting">Waiting for your approval</h2>
    ${waitingForm(visit, { waiting: waiting.slice(0, mostBeside), shown })}${more}</section>`;
}

/** Requests that the person approves or declines: one, the chosen ones, or all that are shown. */
function waitingForm(visit: Visit, { waiting, shown }: WaitingInWords): Html {
  const isMany = waiting.length > 1;
  const item = (one: AskedChange) => askedCard(one, shown, { controls: decision(one, shown, isMany) });
  return html`<form method="post" action="${approvalsPath}">${formToken(visit, { from: hereWithoutNotes(visit) })}
    ${waiting.map(({ id }) => html`<input type="hidden" name="shown" value="${id}">`)}
    <ul class="plain log">${waiting.map(item)}</ul>
    ${isMany && html`<div class="actions">${buttons("chosen", "the chosen ones")} ${buttons("all", `all ${waiting.length}`)}</div>`}</form>`;
}

function decision({ id, expires_at }: AskedChange, { timeZone, today }: AskedOnDay, isMany: boolean): Html {
  const until = sayWallTime(localTimeOf({ called_at: expires_at }, timeZone).slice(0, 16), today);
  return html`<div class="decision">${buttons(id)}
    ${isMany && html`<label><input type="checkbox" name="approval_id" value="${id}"> Choose</label>`}
    <span class="quiet small">Expires ${until}</span></div>`;
}

/** @param which the id of one, `chosen` or `all` */
const buttons = (which: string, words = ""): Html =>
  html`<button class="plain" name="act" value="approve ${which}">Approve${words && ` ${words}`}</button>
    <button class="plain" name="act" value="decline ${which}">Decline${words && ` ${words}`}</button>`;

type AskedOnDay = Day & Readonly<{ names: ThingNames }>;

/** A request in words: when, who, and what would change. */
function askedCard(
  { action, acts }: AskedChange,
  shown: AskedOnDay,
  { badge, controls }: Readonly<{ badge?: Html; controls?: Html }>,
): Html {
  const { names, timeZone, today } = shown;
  const isImaged = acts.length === 0 || action.before !== "{}" || action.after !== "{}";
  const { sentence, changes } = isImaged ? describeAction(action, shown) : { sentence: [], changes: [] };
  const asked = sayWallTime(localTimeOf(action, timeZone).slice(0, 16), today);
  return html`<li class="card"><div class="spread"><p class="action"><time datetime="${action.called_at}">${asked}</time>
    <span><strong>${nameOfCaller(action)}</strong>: ${wordsInHtml(sentence, today, names)}</span></p>
    ${badge && html`<div class="badges">${badge}</div>`}</div>
    ${listInHtml(
      "changes small",
      acts.map((act) => [act]),
      today,
      names,
    )}
    ${changes.length > 0 && html`<details><summary class="small">All ${changes.length} changes</summary>${listInHtml("changes small", changes, today, names)}</details>`}
    ${controls}</li>`;
}

/** POST /account/approvals: approves or declines requests, and returns to the page of the form. */
export async function decide(visit: Visit, form: URLSearchParams): Promise<PageAnswer> {
  const { site, query } = visit;
  const [verb = "", which = ""] = (form.get("act") ?? "").split(" ");
  const several = new Map([
    ["chosen", form.getAll("approval_id")],
    ["all", form.getAll("shown")],
  ]);
  const approval_ids = several.get(which) ?? [which];
  const from = form.get("from");
  if (approval_ids.length === 0) return seeOther(safeNext(site, from));
  const outcome = await submit(visit, "approval.decide", { approval_ids, approve: verb === "approve" });
  if (isRefused(outcome)) return outcome;
  const states = await query.inTurn((own) => readStates(own, approval_ids));
  if (isRefused(states)) return states;
  const counts = [...Map.groupBy(states, (state) => state)].map(
    ([state, { length }]) => `${state}-${length}`,
  );
  return seeOther(withParameter(site, from, decidedParameter, counts.join("_")));
}

/** The parameter of an address with the states of what was decided last, such as `done-2_outdated-1`. */
const decidedParameter = "decided";

const inWords: Readonly<Record<string, string>> = {
  done: "approved and carried out",
  approved: "approved, and being carried out",
  declined: "declined",
  outdated: "approved, but left alone, because it was changed meanwhile",
  expired: "expired before you decided",
};

/** The note about what was decided last. */
function decidedNote({ url }: Pick<Visit, "url">): Html | false {
  const parts = (url.searchParams.get(decidedParameter) ?? "").split("_").flatMap((part) => {
    const [, state = "", count = ""] = /^([a-z]+)-(\d{1,3})$/.exec(part) ?? [];
    const words = inWords[state];
    return words === undefined ? [] : [`${count} ${words}`];
  });
  return parts.length > 0 && html`<p class="note" role="status">${parts.join("; ")}.</p>`;
}

/** GET /account/agents: the tokens that have called, and the rules of each. */
export async function showAgents(visit: Visit, error?: string): Promise<PageAnswer> {
  const { url } = visit;
  const found = await visit.query.inTurn(readAgents);
  if (isRefused(found)) return found;
  const { agents } = found;
  const body = html`<p class="quiet lead">What each agent must ask you first.
    What waits is under <a href="${approvalsPath}">Approvals</a>. To connect one, see <a href="/account/connect">Connect an agent</a>.</p>
    ${problem(error)}${url.searchParams.has("saved") && !error && html`<p class="note" role="status">Its rules are saved.</p>`}
    ${agents.length === 0 && html`<p class="empty">No agent has called yet. <a href="/account/connect">Connect one</a></p>`}
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
  const chosen = optionsOf([["", "Any"], ...categoryChoices(categories)]);
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
    ${selectField({ name: "category_id", id: `category_id-${index}`, label: "Only changes things in", value: value(only?.id), options: [...chosen, ...gone] })}
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
