import { localTime } from "../../../../../shared/domain/day/day.ts";
import { isRefused } from "../../../../../shared/errors.ts";
import { type Html, html } from "../../../../../shared/html.ts";
import { readTokens } from "../../../../queries/action/read.ts";
import { countRun } from "../../../../queries/action/undone.ts";
import { type QueryContext, readDaySettings } from "../../../../queries/engine/context.ts";
import { isUnderWay } from "../../../../queries/user/works.ts";
import { formToken } from "../../../../web/form/form.ts";
import { page } from "../../../../web/page.ts";
import { seeOther } from "../../../../web/redirect.ts";
import { sayWallTime } from "../../kit/dates.ts";
import type { Visit } from "../../session/context.ts";
import { accountFrame } from "../../session/frame.ts";
import { refusalPage } from "../../session/refusal-page.ts";
import { actionsPath, runPath } from "../paths.ts";
import { quote } from "../words/quote.ts";
import { nameOf } from "../words/who.ts";
import { type Fate, fateList, foreseeFates, readPartFates } from "./previews.ts";
import { canRevoke, revokedMarkIn } from "./revoking.ts";
import { type RunSelection, selectionOf } from "./run-selection.ts";
import type { Day } from "./undo-note.ts";

type Shown = Day & Readonly<{ query: QueryContext; selection: RunSelection; who: Html }>;

/**
 * GET /account/actions/run?token_id=…&since=…: what taking back all that a token did would bring back and what not.
 * With `to` and `work` it is under way or done, and the page tells how far it is.
 */
export async function showRun(visit: Visit): Promise<Response> {
  const { context, session, url } = visit;
  if (!url.searchParams.get("token_id")) return seeOther(actionsPath);
  const query = context.query({ userId: session.sub });
  const { timeZone } = await readDaySettings(query);
  const selection = selectionOf(url.searchParams, { now: query.now, timeZone });
  if (isRefused(selection)) return refusalPage(context, selection.refusal);
  const { token_id } = selection;
  const known = await query.inTurn((own) => readTokens(own, {}), false);
  if (isRefused(known)) return refusalPage(context, known.refusal);
  const who = quote(
    nameOf(known.tokens.find((token) => token.token_id === token_id) ?? { token_id, client_name: null }),
  );
  const today = localTime(query.now, timeZone).slice(0, 10);
  const shown = { query, selection, timeZone, today, who };
  const content = selection.isBegun ? await progress(visit, shown) : await preview(visit, shown);
  if (isRefused(content)) return refusalPage(context, content.refusal);
  const { body, isOpen } = content;
  // Browsers load the page again while there is progress to be seen.
  const headers = isOpen ? { Refresh: "2" } : {};
  return page(context.site, { title: "Take back", body, ...accountFrame(visit) }, { headers });
}

async function preview(visit: Visit, shown: Shown) {
  const { query, selection, who, timeZone, today } = shown;
  const [fates, count] = await Promise.all([
    foreseeFates(visit, query, { selection, timeZone }),
    query.inTurn((own) => countRun(own, selection), true),
  ]);
  if (isRefused(fates)) return fates;
  if (isRefused(count)) return count;
  const open = Math.max(count.changes - count.undone, fates.length);
  const since = sayWallTime(localTime(Date.parse(selection.from), timeZone), today);
  const body = html`<p class="quiet lead">What ${who} changed since ${since}</p>
    ${sinceForm(selection, timeZone)}
    ${
      fates.length === 0
        ? html`<p class="note" role="status">There is nothing to take back.</p>`
        : html`<p>${foreseen(fates, { open, isMore: count.isMore })}</p>
          ${takeBackForm(visit, shown)}
          ${await fateSections(query, fates, shown)}
          ${open > fates.length && html`<p class="quiet">${inWords(open - fates.length)} older ones follow after these.</p>`}`
    }`;
  return { body, isOpen: false };
}

const inWords = (count: number): string => count.toLocaleString("en-GB");

function foreseen(
  fates: readonly Fate[],
  { open, isMore }: Readonly<{ open: number; isMore: boolean }>,
): string {
  const stays = fates.filter(({ undone }) => undone === "none").length;
  const parts = fates.filter(({ undone }) => undone === "part").length;
  const all = `${isMore ? "More than " : ""}${inWords(open)} change${open === 1 ? "" : "s"}.`;
  const these = open > fates.length ? `the newest ${fates.length}` : "these";
  if (stays + parts === 0)
    return open === 1 ? `${all} It can be taken back.` : `${all} All of ${these} can be taken back.`;
  return `${all} Of ${these} ${fates.length - stays - parts} can be taken back, ${parts} in part, and ${stays} cannot.`;
}

function sinceForm({ token_id, from }: RunSelection, timeZone: string): Html {
  const since = localTime(Date.parse(from), timeZone);
  return html`<details><summary>Since another time</summary>
    <form method="get" action="${runPath}" class="card narrow">
    <div class="field"><label for="since">Since</label>
    <input type="datetime-local" step="1" id="since" name="since" value="${since}"></div>
    <input type="hidden" name="token_id" value="${token_id}">
    <button class="plain">Look again</button></form></details>`;
}

/** Both buttons take back whatever the token does until then as well. */
function takeBackForm(visit: Visit, { selection, who }: Shown): Html {
  const { context } = visit;
  const { token_id, from } = selection;
  const isRevocable = canRevoke(visit, token_id);
  return html`<form method="post" action="${runPath}" class="card">
    <p>What was deleted comes back, what was changed gets its old values, and what was made goes. What somebody else
    changed since stays. Nothing is lost: in the list of actions each of these can be taken back as well.</p>
    ${formToken(visit)}
    <input type="hidden" name="token_id" value="${token_id}"><input type="hidden" name="since" value="${from}">
    <div class="actions"><button>Take it all back</button>
    ${isRevocable && html`<button class="danger" name="revoke" value="yes">Revoke the token and take all back</button>`}</div>
    ${
      !isRevocable &&
      html`<p class="quiet small">${who} can go on meanwhile: its token is revoked at
      <a href="${context.config.authUrl}">your identity provider</a>.</p>`
    }</form>`;
}

async function fateSections(query: QueryContext, fates: readonly Fate[], day: Day): Promise<Html> {
  const stays = fates.filter(({ undone }) => undone !== "whole");
  const comes = fates.filter(({ undone }) => undone === "whole");
  return html`${stays.length > 0 && html`<h2>What has to stay</h2>${await fateList(query, stays, day)}`}
    ${comes.length > 0 && html`<h2>What is taken back</h2>${await fateList(query, comes, day)}`}`;
}

async function progress(visit: Visit, shown: Shown) {
  const { query, selection, who } = shown;
  const work = visit.url.searchParams.get("work") ?? "";
  const counted = await query.inTurn(async (own) => {
    return { isOpen: await isUnderWay(own, work), ...(await countRun(own, selection)) };
  }, true);
  if (isRefused(counted)) return counted;
  const { isOpen, changes, undone, isMore } = counted;
  const mark = revokedMarkIn(visit, visit.url.searchParams, selection.token_id);
  const revoked = mark && html`<p class="note" role="status">The token of ${who} is revoked.</p>`;
  const done = `${inWords(undone)} of ${isMore ? "more than " : ""}${inWords(changes)} changes of`;
  if (!isOpen) {
    const end = await finished(visit, shown, done);
    return isRefused(end) ? end : { body: html`${revoked}${end}`, isOpen };
  }
  const body = html`${revoked}<div class="note" role="status"><p>${done} ${who} are taken back so far.</p>
    <p><progress max="${changes}" value="${undone}" aria-label="Taken back"></progress></p></div>
    <p>This goes on by itself, also when you leave this page. <a href="${visit.url.pathname}${visit.url.search}">Look again</a></p>`;
  return { body, isOpen };
}

/** What was tried and stands has to stay, unless what was in its way is gone by now. */
async function finished(visit: Visit, shown: Shown, done: string) {
  const { query, selection, who, timeZone } = shown;
  const [fates, parts] = await Promise.all([
    foreseeFates(visit, query, { selection, timeZone }),
    readPartFates(query, { selection, timeZone }),
  ]);
  if (isRefused(fates)) return fates;
  if (isRefused(parts)) return parts;
  const stayed = [...parts.told, ...fates.filter(({ undone }) => undone === "none")];
  const possible = fates.filter(({ undone }) => undone !== "none");
  const list = `${actionsPath}?${new URLSearchParams({ token_id: selection.token_id })}`;
  return html`<div class="note" role="status"><p>${done} ${who} are taken back.</p></div>
    ${stayed.length > 0 && html`<h2>What stayed</h2>${await fateList(query, stayed, shown)}`}
    ${parts.hasMore && html`<p class="quiet">Of older changes something stayed, too: <a href="${list}">the list of what it did</a> says of which.</p>`}
    ${possible.length > 0 && html`<h2>What can be taken back now</h2>${takeBackForm(visit, shown)}${await fateList(query, possible, shown)}`}
    <p><a href="${list}">Everything it did</a></p>`;
}
