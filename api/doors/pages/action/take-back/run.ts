import {
  type LoggedAction,
  listActions,
  type UndoConflict,
  undoDays,
} from "../../../../../shared/contracts/action/contracts.ts";
import type { Commands, OutputOf } from "../../../../../shared/contracts/catalogue.ts";
import { msPerDay } from "../../../../../shared/domain/day/day.ts";
import { invalid, isRefused, type Refused } from "../../../../../shared/errors.ts";
import { type Html, html } from "../../../../../shared/html.ts";
import { isConnectionId } from "../../../../auth/token-format.ts";
import { validate } from "../../../../http/input.ts";
import { readTokens } from "../../../../queries/action/read.ts";
import {
  countChanges,
  newestStanding,
  readParts,
  type TokenPeriod,
} from "../../../../queries/action/runs.ts";
import { readNames } from "../../../../queries/action/things.ts";
import type { QueryContext } from "../../../../queries/engine/context.ts";
import { isUnderWay } from "../../../../queries/user/read.ts";
import { csrfHolds, csrfToken, formToken } from "../../../../web/form/form.ts";
import { seeOther } from "../../../../web/redirect.ts";
import { sayWallTime } from "../../kit/words.ts";
import type { PageAnswer, Visit } from "../../session/context.ts";
import { accountPage } from "../../session/frame.ts";
import { submit, submitUndo } from "../../session/submit.ts";
import { describeAction } from "../narrator.ts";
import {
  actionsPath,
  type Day,
  listInHtml,
  localTimeOf,
  nameOfCaller,
  quote,
  readLogDay,
  runPath,
  wordsInHtml,
} from "../words.ts";
import { conflictsInWords, conflictsOf } from "./undo.ts";

/**
 * GET /account/actions/run?token_id=…&since=…: what undoing everything that a token did would restore, and what
 * not. With `work` the undo goes on or is done, and the page also shows how far it came.
 */
export async function showRun(visit: Visit): Promise<PageAnswer> {
  const { url, query } = visit;
  const token_id = url.searchParams.get("token_id");
  const work = url.searchParams.get("work");
  if (!token_id) return seeOther(actionsPath);
  const period = periodIn(url.searchParams, query.now);
  if (isRefused(period)) return period;
  const found = await query.inTurn(
    async (own) => ({
      isOpen: work !== null && (await isUnderWay(own, work)),
      count: await countChanges(own, period),
      tokens: (await readTokens(own, {})).tokens,
      day: await readLogDay(own),
    }),
    true,
  );
  if (isRefused(found)) return found;
  const token = found.tokens.find((one) => one.token_id === token_id) ?? { token_id, client_name: null };
  const shown: Shown = { ...found, ...found.day, period, who: quote(nameOfCaller(token)) };
  const rest = found.isOpen ? underWay(visit) : await previewInHtml(visit, shown, work !== null);
  if (isRefused(rest)) return rest;
  const body = html`${work !== null && progressNote(visit, shown)}${rest}`;
  // Browsers reload the page while there is progress to show.
  return accountPage(visit, { title: "Take back", body }, { headers: found.isOpen ? { Refresh: "2" } : {} });
}

type Shown = Day &
  Readonly<{
    period: TokenPeriod;
    who: Html;
    isOpen: boolean;
    count: Awaited<ReturnType<typeof countChanges>>;
  }>;

const inWords = (count: number): string => count.toLocaleString("en-GB");

function progressNote(
  visit: Visit,
  { period, who, isOpen, count: { changes, undone, isMore } }: Shown,
): Html {
  const isRevoked = revokedMarkIn(visit, visit.url.searchParams, period.token_id) !== undefined;
  return html`${isRevoked && html`<p class="note" role="status">The token of ${who} is revoked.</p>`}
    <div class="note" role="status"><p>${inWords(undone)} of ${isMore && "more than "}${inWords(changes)} changes of ${who} are taken back${isOpen && " so far"}.</p>
    ${isOpen && html`<p><progress max="${changes}" value="${undone}" aria-label="Taken back"></progress></p>`}</div>`;
}

const underWay = ({ url: { pathname, search } }: Visit): Html =>
  html`<p>This goes on by itself, also when you leave this page. <a href="${pathname}${search}">Look again</a></p>`;

/** Changes that were tried and not undone stay, unless a new preview finds no conflict. */
async function previewInHtml(visit: Visit, shown: Shown, isDone: boolean): Promise<Html | Refused> {
  const { period, who, timeZone, today, count } = shown;
  const { query, url } = visit;
  const previews = await previewUndo(visit, period);
  if (isRefused(previews)) return previews;
  const parts = isDone ? await query.inTurn((own) => readParts(own, period, mostExplained + 1)) : [];
  if (isRefused(parts)) return parts;
  const partly = parts
    .slice(0, mostExplained)
    .map(({ action, undo }): Preview => ({ action, undone: "part", conflicts: conflictsOf(undo) }));
  const { whole = [], rest = [] } = Object.groupBy(previews, ({ undone }) =>
    undone === "whole" ? "whole" : "rest",
  );
  const open = Math.max(count.changes - count.undone, previews.length);
  const time = (instant: string) => sayWallTime(localTimeOf({ called_at: instant }, timeZone), today);
  const list = `${actionsPath}?${new URLSearchParams({ token_id: period.token_id })}`;
  return html`<p class="quiet lead">What ${who} changed since ${time(period.from)}${url.searchParams.has("to") && html` and until ${time(period.to)}`}</p>
    ${previews.length === 0 && !isDone && html`<p class="note" role="status">There is nothing to take back.</p>`}
    ${previews.length > 0 && html`<p>${previewInWords(previews, open, count.isMore)}</p>${takeBackForm(visit, shown)}`}
    ${await previewList(query, "What stays", [...partly, ...rest], shown)}
    ${parts.length > mostExplained && html`<p class="quiet">Of older changes something stayed, too: <a href="${list}">the list of what it did</a> says of which.</p>`}
    ${await previewList(query, "What can be taken back", whole, shown)}
    ${open > previews.length && html`<p class="quiet">${inWords(open - previews.length)} older ones follow after these.</p>`}
    <p><a href="${list}">Everything it did</a></p>`;
}

function previewInWords(previews: readonly Preview[], open: number, isMore: boolean): string {
  const countOf = (end: Undone) => previews.filter(({ undone }) => undone === end).length;
  const all = `${isMore ? "More than " : ""}${inWords(open)} change${open === 1 ? "" : "s"}.`;
  const these = open > previews.length ? `the newest ${previews.length}` : "these";
  if (countOf("whole") === previews.length)
    return open === 1 ? `${all} It can be taken back.` : `${all} All of ${these} can be taken back.`;
  return `${all} Of ${these} ${countOf("whole")} can be taken back, ${countOf("part")} in part, and ${countOf("none")} cannot.`;
}

/** Without an end, both buttons also undo later changes of the token. */
function takeBackForm(visit: Visit, { period: { token_id, from, to }, who }: Shown): Html {
  const isRevocable = canRevoke(visit, token_id);
  return html`<form method="post" action="${runPath}" class="card">
    <p>What was deleted comes back, what was changed gets its old values, and what was made goes. What somebody else
    changed since stays. Nothing is lost: in the list of actions each of these can be taken back as well.</p>
    ${formToken(visit, { token_id, since: from, to: visit.url.searchParams.has("to") ? to : null })}
    <div class="actions"><button>Take it all back</button>
    ${isRevocable && html`<button class="danger" name="revoke" value="yes">Revoke the token and take all back</button>`}</div>
    ${
      !isRevocable &&
      html`<p class="quiet small">${who} can go on meanwhile: its token is revoked at
      <a href="${visit.context.config.authUrl}">your identity provider</a>.</p>`
    }</form>`;
}

type Undone = OutputOf<Commands["action.undo"]>["ends"][number]["undone"];

/** The outcome of an undo, with its conflicts. */
type Preview = Readonly<{ action: LoggedAction; undone: Undone; conflicts: readonly UndoConflict[] }>;

/** Previews of the newest changes in the period that are not undone, as many as one command tries. */
async function previewUndo(visit: Visit, period: TokenPeriod): Promise<readonly Preview[] | Refused> {
  const actions = await visit.query.inTurn((own) => newestStanding(own, period));
  if (isRefused(actions)) return actions;
  if (actions.length === 0) return [];
  const outcome = await submitUndo(visit, actions, { preview: true });
  if (isRefused(outcome)) return outcome;
  return outcome.ends.flatMap(({ request_id, ...end }) => {
    const action = actions.find((one) => one.request_id === request_id);
    return action ? [{ action, ...end }] : [];
  });
}

/** The page explains the conflicts of this many actions. */
const mostExplained = 20;

const badges: Readonly<Record<Undone, Html | false>> = {
  whole: false,
  part: html`<p class="badge warn">In part</p>`,
  none: html`<p class="badge bad">Stays</p>`,
};

/** Actions under a headline, each with the outcome of its undo; nothing if there are none. */
async function previewList(
  query: QueryContext,
  headline: string,
  previews: readonly Preview[],
  { timeZone, today, period }: Shown,
): Promise<Html | false> {
  if (previews.length === 0) return false;
  const actions = previews.map(({ action }) => action);
  const known = { names: await readNames(query, actions), timeZone };
  const conflicting = previews.filter(({ conflicts }) => conflicts.length > 0).slice(0, mostExplained);
  const explained = await conflictsInWords(query, conflicting, { ...known, except: period.token_id });
  const items = previews.map((preview) => {
    const { action, undone } = preview;
    const sentences = explained[conflicting.indexOf(preview)] ?? [];
    return html`<li class="card"><div class="spread">
      <p class="action"><time datetime="${action.called_at}">${sayWallTime(localTimeOf(action, timeZone), today)}</time>
      <span>${wordsInHtml(describeAction(action, known).sentence, today)}</span></p>${badges[undone]}</div>
      ${listInHtml("reason small", sentences, today)}</li>`;
  });
  return html`<h2>${headline}</h2><ul class="plain log">${items}</ul>`;
}

/** @returns the token and period in the parameters, without actions that are too old to be undone */
function periodIn(params: URLSearchParams, now: number): TokenPeriod | Refused {
  const oldest = new Date(now - undoDays * msPerDay).toISOString();
  const since = params.get("since") || oldest;
  const to = params.get("to") ?? new Date(now).toISOString();
  const token_id = params.get("token_id") ?? "";
  // Actions without a token were done by the person on pages.
  if (token_id === "") return invalid({ token_id: ["The token_id field is required."] });
  const validated = validate(listActions, { token_id, from: since, to });
  return isRefused(validated) ? validated : { token_id, to, from: since > oldest ? since : oldest };
}

/**
 * POST /account/actions/run: begins to undo the actions of a token, and on request revokes it first. Workers finish
 * the undo. Undone actions are not undone twice, so repeating the form does no harm.
 */
export async function takeRunBack(visit: Visit, form: URLSearchParams): Promise<PageAnswer> {
  const { context, session, query } = visit;
  const period = periodIn(form, query.now);
  if (isRefused(period)) return period;
  const { token_id, from, to } = period;
  const revokes = form.get("revoke") === "yes";
  if (revokes && !canRevoke(visit, token_id)) return notHere;
  if (revokes) await context.endToken?.({ userId: session.sub, tokenId: token_id });
  const outcome = await submit(visit, "action.undo-run", { token_id, from, to });
  if (isRefused(outcome)) return outcome;
  const { work_id: work } = outcome.body;
  const revoked = revokes
    ? csrfToken(visit.site.formKeys, holderOf(visit, token_id))
    : revokedMarkIn(visit, form, token_id);
  const params = new URLSearchParams({ token_id, since: from, to, work, ...(revoked && { revoked }) });
  return seeOther(`${runPath}?${params}`);
}

const notHere = invalid({ token_id: ["This token is revoked at the identity provider that issued it."] });

/** True if the built-in provider keeps the tokens and can have issued this one. */
const canRevoke = ({ context }: Visit, tokenId: string): boolean =>
  context.endToken !== undefined && isConnectionId(tokenId);

const holderOf = ({ holder }: Visit, tokenId: string): string => `${holder}.revoked.${tokenId}`;

/**
 * Only the session that revoked a token can mark an address with it, so nobody can make a link that claims a
 * revocation.
 * @returns the mark of an address or form, if it is genuine
 */
function revokedMarkIn(visit: Visit, params: URLSearchParams, tokenId: string): string | undefined {
  const mark = params.get("revoked") ?? "";
  return csrfHolds(visit.site.formKeys, holderOf(visit, tokenId), mark) ? mark : undefined;
}
