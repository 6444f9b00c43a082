import { isRefused } from "../../../../../shared/errors.ts";
import { type Html, html } from "../../../../../shared/html.ts";
import { readNames, type ThingNames } from "../../../../queries/action/things.ts";
import { type AskedChange, readEnded, readStates, readWaiting } from "../../../../queries/approval/read.ts";
import type { QueryContext } from "../../../../queries/engine/context.ts";
import { formToken } from "../../../../web/form/form.ts";
import { safeNext, seeOther } from "../../../../web/redirect.ts";
import { sayWallTime } from "../../kit/dates.ts";
import { liveMark, liveScripts } from "../../live/live-mark.ts";
import type { PageAnswer, Visit } from "../../session/context.ts";
import { accountPage } from "../../session/frame.ts";
import { hereWithoutNotes } from "../../session/go-on.ts";
import { submit } from "../../session/submit.ts";
import { describeAction } from "../narrator.ts";
import { agentsPath, approvalsPath } from "../paths.ts";
import { type Day, listInHtml, localTimeOf, nameOfCaller, readLogDay, wordsInHtml } from "../words.ts";

/** GET /account/approvals: what agents ask for, and what became of the last requests. */
export async function showApprovals(visit: Visit): Promise<PageAnswer> {
  const { query } = visit;
  const mark = await liveMark(visit, { follows: "actions" });
  const found = await query.inTurn(readAll);
  if (isRefused(found)) return found;
  const { waiting, ended, shown } = found;
  const decided = decidedInWords(visit);
  const body = html`${mark}<p class="quiet lead">Requests of agents that need your approval. Nothing of a request happens
    before you approve it. <a href="${agentsPath}">What agents must ask for</a></p>
    ${decided && html`<p class="note" role="status">${decided}</p>`}
    <div id="approvals" data-part>${waiting ? waitingForm(visit, waiting) : html`<p class="quiet">Nothing waits.</p>`}
    ${ended.length > 0 && html`<h2>Decided</h2><ul class="plain log">${ended.map((one) => askedCard(one, shown, { badge: badges[one.state] }))}</ul>`}</div>`;
  return accountPage(visit, { title: "Approvals", body, scripts: liveScripts });
}

async function readAll(query: QueryContext) {
  const waiting = await readWaitingInWords(query);
  const ended = await readEnded(query);
  const names = await readNames(
    query,
    ended.map(({ action }) => action),
  );
  const shown: AskedOnDay = { ...(await readLogDay(query)), names };
  return { waiting, ended, shown };
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
  const names = await readNames(
    query,
    waiting.map(({ action }) => action),
  );
  return { waiting, shown: { ...(await readLogDay(query)), names } };
}

/** The first requests beside what another page is about, and what was decided last. */
export function waitingBeside(visit: Visit, found: WaitingInWords | undefined): Html {
  const decided = decidedInWords(visit);
  const note = decided && html`<p class="note" role="status">${decided}</p>`;
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
  { action }: AskedChange,
  shown: AskedOnDay,
  { badge, controls }: Readonly<{ badge?: Html; controls?: Html }>,
): Html {
  const { names, timeZone, today } = shown;
  const { sentence, changes } = describeAction(action, shown);
  const asked = sayWallTime(localTimeOf(action, timeZone).slice(0, 16), today);
  return html`<li class="card"><div class="spread"><p class="action"><time datetime="${action.called_at}">${asked}</time>
    <span><strong>${nameOfCaller(action)}</strong>: ${wordsInHtml(sentence, today, names)}</span></p>
    ${badge && html`<div class="badges">${badge}</div>`}</div>
    ${changes.length > 0 && html`<details><summary class="small">All ${changes.length} changes</summary>${listInHtml("changes small", changes, today, names)}</details>`}
    ${controls}</li>`;
}

/** POST /account/approvals: approves or declines requests, and returns to the page of the form. */
export async function decide(visit: Visit, form: URLSearchParams): Promise<PageAnswer> {
  const { site, query } = visit;
  const [verb = "", which = ""] = (form.get("act") ?? "").split(" ");
  const all = { chosen: form.getAll("approval_id"), all: form.getAll("shown") };
  const approval_ids = which in all ? all[which as keyof typeof all] : [which];
  const next = new URL(safeNext(site, form.get("from")), site.origin);
  if (approval_ids.length > 0) {
    const outcome = await submit(visit, "approval.decide", { approval_ids, approve: verb === "approve" });
    if (isRefused(outcome)) return outcome;
    const states = await query.inTurn((own) => readStates(own, approval_ids));
    if (isRefused(states)) return states;
    next.searchParams.set(
      decidedParameter,
      [...new Set(states)].map((state) => `${state}-${countOf(states, state)}`).join("_"),
    );
  }
  return seeOther(`${next.pathname}${next.search}`);
}

const countOf = (states: readonly string[], state: string): number =>
  states.filter((one) => one === state).length;

/** The parameter of an address with the states of what was decided last, such as `done-2_outdated-1`. */
const decidedParameter = "decided";

const inWords: Readonly<Record<string, string>> = {
  done: "approved and carried out",
  approved: "approved, and being carried out",
  declined: "declined",
  outdated: "approved, but left alone, because it was changed meanwhile",
  expired: "expired before you decided",
};

/** The sentence about what was decided last; undefined without any. */
function decidedInWords({ url }: Pick<Visit, "url">): string | undefined {
  const parts = (url.searchParams.get(decidedParameter) ?? "").split("_").flatMap((part) => {
    const [, state = "", count = ""] = /^([a-z]+)-(\d{1,3})$/.exec(part) ?? [];
    const words = inWords[state];
    return words === undefined ? [] : [`${count} ${words}`];
  });
  return parts.length === 0 ? undefined : `${parts.join("; ")}.`;
}
