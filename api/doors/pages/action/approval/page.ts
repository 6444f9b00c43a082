import { isRefused } from "../../../../../shared/errors.ts";
import { type Html, html } from "../../../../../shared/html.ts";
import { readNames } from "../../../../queries/action/things.ts";
import { type AskedChange, readEnded } from "../../../../queries/approval/waiting.ts";
import type { QueryContext } from "../../../../queries/engine/context.ts";
import { liveMark, liveScripts } from "../../live/live-mark.ts";
import type { PageAnswer, Visit } from "../../session/context.ts";
import { accountPage } from "../../session/frame.ts";
import { agentsPath } from "../paths.ts";
import { readLogDay } from "../words.ts";
import { type AskedOnDay, askedCard } from "./asked-card.ts";
import { decidedInWords } from "./decided.ts";
import { readWaitingInWords, waitingForm } from "./waiting.ts";

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
