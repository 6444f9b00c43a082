import { localTime } from "../../../../../shared/domain/day/day.ts";
import { isRefused, type Refused } from "../../../../../shared/errors.ts";
import { type Html, html } from "../../../../../shared/html.ts";
import { readTokens } from "../../../../queries/action/read.ts";
import { countChanges, type TokenPeriod } from "../../../../queries/action/undone.ts";
import type { QueryContext } from "../../../../queries/engine/context.ts";
import { isUnderWay } from "../../../../queries/user/works.ts";
import { formToken } from "../../../../web/form/form.ts";
import { seeOther } from "../../../../web/redirect.ts";
import { sayWallTime } from "../../kit/dates.ts";
import type { PageAnswer, Visit } from "../../session/context.ts";
import { accountPage } from "../../session/frame.ts";
import { actionsPath, runPath } from "../paths.ts";
import { type Day, nameOfCaller, quote, readLogDay } from "../words.ts";
import { type Preview, previewList, previewUndo, readPartlyUndone } from "./previews.ts";
import { canRevoke, periodIn, revokedMarkIn } from "./undo-all.ts";

type PageData = Day & Readonly<{ query: QueryContext; period: TokenPeriod; who: Html }>;

/** The content of a page; `isOpen` is set while the undo goes on. */
type Content = Readonly<{ body: Html; isOpen: boolean }> | Refused;

/**
 * GET /account/actions/run?token_id=…&since=…: what undoing everything that a token did would restore, and what
 * not. With `work` the undo goes on or is done, and the page shows its progress.
 */
export async function showUndoAll(visit: Visit): Promise<PageAnswer> {
  const { url, query } = visit;
  if (!url.searchParams.get("token_id")) return seeOther(actionsPath);
  const day = await readLogDay(query);
  const period = periodIn(url.searchParams, { now: query.now, timeZone: day.timeZone });
  if (isRefused(period)) return period;
  const { token_id } = period;
  const known = await query.inTurn((own) => readTokens(own, {}));
  if (isRefused(known)) return known;
  const token = known.tokens.find((one) => one.token_id === token_id) ?? { token_id, client_name: null };
  const shown = { ...day, query, period, who: quote(nameOfCaller(token)) };
  const content = await (url.searchParams.has("work")
    ? showProgress(visit, shown)
    : showPreview(visit, shown));
  if (isRefused(content)) return content;
  // Browsers reload the page while there is progress to show.
  const headers = content.isOpen ? { Refresh: "2" } : {};
  return accountPage(visit, { title: "Take back", body: content.body }, { headers });
}

async function showPreview(visit: Visit, shown: PageData): Promise<Content> {
  const { query, period, who, timeZone, today } = shown;
  const [previews, count] = await Promise.all([
    previewUndo(visit, query, period),
    query.inTurn((own) => countChanges(own, period), true),
  ]);
  if (isRefused(previews)) return previews;
  if (isRefused(count)) return count;
  const open = Math.max(count.changes - count.undone, previews.length);
  const since = localTime(Date.parse(period.from), timeZone);
  const until = visit.url.searchParams.get("to") !== null && localTime(Date.parse(period.to), timeZone);
  const stays = previews.filter(({ undone }) => undone !== "whole");
  const comes = previews.filter(({ undone }) => undone === "whole");
  const lead = html`<p class="quiet lead">What ${who} changed since ${sayWallTime(since, today)}${until && html` and until ${sayWallTime(until, today)}`}</p>
    <details><summary>Since another time</summary>
    <form method="get" action="${runPath}" class="card narrow">
    <div class="field"><label for="since">Since</label>
    <input type="datetime-local" step="1" id="since" name="since" value="${since}"></div>
    <input type="hidden" name="token_id" value="${period.token_id}">
    <button class="plain">Look again</button></form></details>`;
  if (previews.length === 0)
    return {
      body: html`${lead}<p class="note" role="status">There is nothing to take back.</p>`,
      isOpen: false,
    };
  const body = html`${lead}<p>${previewInWords(previews, open, count.isMore)}</p>
    ${takeBackForm(visit, shown, until !== false)}
    ${await previewList(query, { headline: "What has to stay", previews: stays }, shown)}
    ${await previewList(query, { headline: "What is taken back", previews: comes }, shown)}
    ${open > previews.length && html`<p class="quiet">${inWords(open - previews.length)} older ones follow after these.</p>`}`;
  return { body, isOpen: false };
}

const inWords = (count: number): string => count.toLocaleString("en-GB");

function previewInWords(previews: readonly Preview[], open: number, isMore: boolean): string {
  const stay = previews.filter(({ undone }) => undone === "none").length;
  const parts = previews.filter(({ undone }) => undone === "part").length;
  const all = `${isMore ? "More than " : ""}${inWords(open)} change${open === 1 ? "" : "s"}.`;
  const these = open > previews.length ? `the newest ${previews.length}` : "these";
  if (stay + parts === 0)
    return open === 1 ? `${all} It can be taken back.` : `${all} All of ${these} can be taken back.`;
  return `${all} Of ${these} ${previews.length - stay - parts} can be taken back, ${parts} in part, and ${stay} cannot.`;
}

/** Without an end, both buttons also undo later changes of the token. */
function takeBackForm(visit: Visit, { period: { token_id, from, to }, who }: PageData, hasEnd = false): Html {
  const isRevocable = canRevoke(visit, token_id);
  return html`<form method="post" action="${runPath}" class="card">
    <p>What was deleted comes back, what was changed gets its old values, and what was made goes. What somebody else
    changed since stays. Nothing is lost: in the list of actions each of these can be taken back as well.</p>
    ${formToken(visit, { token_id, since: from, to: hasEnd ? to : null })}
    <div class="actions"><button>Take it all back</button>
    ${isRevocable && html`<button class="danger" name="revoke" value="yes">Revoke the token and take all back</button>`}</div>
    ${
      !isRevocable &&
      html`<p class="quiet small">${who} can go on meanwhile: its token is revoked at
      <a href="${visit.context.config.authUrl}">your identity provider</a>.</p>`
    }</form>`;
}

async function showProgress(visit: Visit, shown: PageData): Promise<Content> {
  const { query, period, who } = shown;
  const { pathname, search, searchParams } = visit.url;
  const counted = await query.inTurn(async (own) => {
    return {
      isOpen: await isUnderWay(own, searchParams.get("work") ?? ""),
      ...(await countChanges(own, period)),
    };
  }, true);
  if (isRefused(counted)) return counted;
  const { isOpen, changes, undone, isMore } = counted;
  const isRevoked = revokedMarkIn(visit, searchParams, period.token_id) !== undefined;
  const revoked = isRevoked && html`<p class="note" role="status">The token of ${who} is revoked.</p>`;
  const done = html`<p>${inWords(undone)} of ${isMore && "more than "}${inWords(changes)} changes of ${who} are taken back${isOpen && " so far"}.</p>`;
  if (isOpen) {
    const body = html`${revoked}<div class="note" role="status">${done}
      <p><progress max="${changes}" value="${undone}" aria-label="Taken back"></progress></p></div>
      <p>This goes on by itself, also when you leave this page. <a href="${pathname}${search}">Look again</a></p>`;
    return { body, isOpen };
  }
  const rest = await showRest(visit, shown);
  if (isRefused(rest)) return rest;
  return { body: html`${revoked}<div class="note" role="status">${done}</div>${rest}`, isOpen };
}

/** Changes that were tried and not undone stay, unless a new preview finds no conflict. */
async function showRest(visit: Visit, shown: PageData): Promise<Html | Refused> {
  const { query, period } = shown;
  const [previews, parts] = await Promise.all([
    previewUndo(visit, query, period),
    readPartlyUndone(query, period),
  ]);
  if (isRefused(previews)) return previews;
  if (isRefused(parts)) return parts;
  const stayed = [...parts.partly, ...previews.filter(({ undone }) => undone === "none")];
  const possible = previews.filter(({ undone }) => undone !== "none");
  const list = `${actionsPath}?${new URLSearchParams({ token_id: period.token_id })}`;
  return html`${await previewList(query, { headline: "What stayed", previews: stayed }, shown)}
    ${parts.hasMore && html`<p class="quiet">Of older changes something stayed, too: <a href="${list}">the list of what it did</a> says of which.</p>`}
    ${await previewList(query, { headline: "What can be taken back now", form: takeBackForm(visit, shown), previews: possible }, shown)}
    <p><a href="${list}">Everything it did</a></p>`;
}
