import type { LoggedAction } from "../../../../../shared/contracts/action/contracts.ts";
import { undoDays } from "../../../../../shared/contracts/action/contracts.ts";
import { readStored } from "../../../../../shared/domain/action/cut-arguments.ts";
import { msPerDay } from "../../../../../shared/domain/day/day.ts";
import { actionEffects } from "../../../../../shared/domain/vocabulary.ts";
import { isRefused } from "../../../../../shared/errors.ts";
import { type Html, html } from "../../../../../shared/html.ts";
import { mapGivingWay } from "../../../../../shared/process/give-way.ts";
import { type ReadCount, readActions, readReadCounts, readTokens } from "../../../../queries/action/read.ts";
import {
  type ListedAction,
  type Run,
  readRuns,
  readUndos,
  type Undos,
} from "../../../../queries/action/runs.ts";
import { changedThings, isDeletion, readNames, type ThingNames } from "../../../../queries/action/things.ts";
import type { QueryContext } from "../../../../queries/engine/context.ts";
import { icon } from "../../../../web/icons.ts";
import { countInWords, sayDate, sayWallTime } from "../../kit/words.ts";
import { liveMark, liveScripts } from "../../live/live.ts";
import type { PageAnswer, Visit } from "../../session/context.ts";
import { accountPage, findLastVisit } from "../../session/frame.ts";
import { readWaitingInWords, waitingBeside } from "../approval/approvals.ts";
import { describeAction, readOf } from "../narrator.ts";
import { chooseBox, chooseForm, conflictsOf, readNote, type UndoNote, undoForm } from "../take-back/undo.ts";
import {
  actionsPath,
  agentsPath,
  type Day,
  forgetPath,
  listInHtml,
  localTimeOf,
  nameOfCaller,
  quote,
  readLogDay,
  runPath,
  wordsInHtml,
} from "../words.ts";
import { type ActionsFilter, chosenIn, filterForm, outcomes, readFilters } from "./filters.ts";

const pageSize = 50;

/** GET /account/actions?show=…&q=…&from=…&to=…&token_id=…&…&cursor=…: actions in the user's name, newest first. */
export async function showActions(visit: Visit): Promise<PageAnswer> {
  const { url, query } = visit;
  const mark = await liveMark(visit, { follows: "actions" });
  const day = await readLogDay(query);
  const chosen = chosenIn(url);
  const filters = readFilters(chosen, day.timeZone);
  if (isRefused(filters)) return filters;
  const found = await query.inTurn((own) => readListed(own, filters), filters.input.q !== undefined);
  if (isRefused(found)) return found;
  const { entries, tokens, next_cursor } = found;
  const newestFirst = entries.flat();
  const isFirst = !chosen.has("cursor");
  chosen.delete("cursor");
  chosen.delete("note");
  const isFiltered = chosen.size > 0;
  const undone = await readNote(visit, query, day);
  const { isNew, remember } = await findLastVisit(visit, query.now);
  const controls = controlsOf(visit, { ...day, undos: found.undos, undone, now: query.now });
  const shown = { ...found, ...day, controls, isNew, isFiltered, hasOlder: next_cursor !== null };
  const isListed = newestFirst.some(({ request_id }) => request_id === undone?.request_id);
  const address = (more: Record<string, string>, path = actionsPath) =>
    `${path}?${new URLSearchParams([...chosen, ...Object.entries(more)])}`;
  const exportPath = `${actionsPath}/export`;
  const lead = html`<p class="quiet lead">Everything your agents, scripts and you changed, and how to take it back.
    <a href="${agentsPath}">Agent rules</a></p>`;
  const body = html`${mark}
    ${tokens.length > 0 && filterForm(chosen, tokens, day)}
    ${waitingBeside(visit, found.waiting)}
    <div id="actions" data-part>${!isListed && undone?.note}${runLink(filters.input)}${newsNote(newestFirst.filter(isNew).length, newestFirst.length)}${chosen.has("since") && chooseForm(visit)}
    ${await actionList(shown)}
    <nav class="pager" aria-label="Pages">${!isFirst && html`<a href="${address({})}">Newest</a>`}
    ${next_cursor && html`<a href="${address({ cursor: next_cursor })}" rel="next">Older</a>`}</nav></div>
    ${
      entries.length > 0 &&
      html`<p class="quiet small">Download what the filter shows: <a href="${address({ format: "csv" }, exportPath)}">CSV</a>,
      <a href="${address({ format: "jsonl" }, exportPath)}">JSON lines</a>.</p>`
    }`;
  if (isFirst && !isFiltered) await remember(newestFirst[0]);
  return accountPage(visit, { title: "Activity", lead, body, scripts: liveScripts });
}

/** Statements run one after the other, because together they take one turn. */
async function readListed(query: QueryContext, { input, foldsReads, showsRuns }: ActionsFilter) {
  const { entries, next_cursor } = await (showsRuns ? readRuns : readSingly)(query, input, pageSize);
  const reads = foldsReads ? await readReadCounts(query, input, next_cursor) : [];
  const actions = entries.filter(isAction);
  const undos = await readUndos(query, actions);
  const names = await readNames(query, actions);
  const { tokens } = await readTokens(query, {});
  const waiting = await readWaitingInWords(query);
  return { waiting, entries, reads, undos, names, tokens, next_cursor };
}

async function readSingly(query: QueryContext, input: ActionsFilter["input"], limit: number) {
  const { actions, next_cursor } = await readActions(query, { ...input, limit });
  const entries: readonly ListedAction[] = actions;
  return { entries, next_cursor };
}

const isAction = (entry: ListedAction): entry is LoggedAction => "request_id" in entry;

/** A link from the list of one token's actions to undoing all of them, at the top of the list. */
const runLink = ({ token_id, from }: ActionsFilter["input"]) =>
  token_id !== undefined &&
  html`<p><a href="${runPath}?${new URLSearchParams({ token_id, ...(from && { since: from }) }).toString()}">Take back all that it changed…</a></p>`;

const newsNote = (count: number, all: number) =>
  count > 0 &&
  html`<p class="quiet">${count === all ? "All of these are" : count === 1 ? "1 is" : `${count} are`} new since your last visit.</p>`;

type Listed = Listing &
  Readonly<{
    entries: readonly ListedAction[];
    /** Counts of calls that only read. */
    reads: readonly ReadCount[];
    isFiltered: boolean;
    hasOlder: boolean;
  }>;

/** Runs and actions by date, and at the end of each date the reads. */
export async function actionList(list: Listed): Promise<Html> {
  const { entries, reads, isFiltered, hasOlder, ...listing } = list;
  const dateOf = (at: Pick<LoggedAction, "called_at">) => localTimeOf(at, listing.timeZone).slice(0, 10);
  const cards = await mapGivingWay(entries, (entry) => ({
    date: dateOf(newestIn(entry)),
    card: cardOf(entry, listing),
  }));
  const dated = Map.groupBy(cards, ({ date }) => date);
  const looked = Map.groupBy(reads, dateOf);
  const dates = [...new Set([...dated.keys(), ...looked.keys()])].toSorted().toReversed();
  if (dates.length === 0)
    return html`<div class="empty"><p>${isFiltered ? noneLikeThat(hasOlder) : none}</p></div>`;
  return html`${dates.map(
    (date) => html`<h2>${sayDate(date, listing.today)}</h2>
      <ul class="plain log">${dated.get(date)?.map(({ card }) => card)}${readCards(date, looked.get(date) ?? [])}</ul>`,
  )}`;
}

/** A run is at the time of its newest action. */
const newestIn = (entry: ListedAction) => ("request_id" in entry ? entry : (entry[0] ?? { called_at: "" }));
const cardOf = (entry: ListedAction, listing: Listing): Html =>
  "request_id" in entry ? actionCard(entry, listing) : runCard(entry, listing);

const none = html`Nothing yet. <a href="/account/connect">Connect an agent</a>, and see here what it does.`;
const noneLikeThat = (hasOlder: boolean): string =>
  hasOlder ? "None of these calls matches, but older ones may." : "No call matches.";

/** One sentence for each token that only read on a day, with a link to its calls. Counts are by quarters of an hour. */
function readCards(date: string, reads: readonly ReadCount[]): readonly Html[] {
  return [...Map.groupBy(reads, ({ token_id }) => token_id)].map(([token_id, own]) => {
    const counts = [...Map.groupBy(own, ({ tool }) => tool)].map(([tool, some]) => ({
      tool,
      count: some.reduce((sum, { reads }) => sum + reads, 0),
    }));
    const mostFirst = counts.toSorted((one, other) => other.count - one.count);
    const looks = mostFirst.map(
      ({ tool, count }) => `${readOf(tool) ?? "resources"}${count === 1 ? "" : ` ${count} times`}`,
    );
    const calls = new URLSearchParams({ show: "reads", token_id, from: date, to: date });
    const name = nameOfCaller({ token_id, client_name: own[0]?.client_name ?? null });
    return html`<li class="card"><p class="quiet small"><strong>${name}</strong>:
      <a href="${actionsPath}?${calls.toString()}">Looked at ${looks.join("; looked at ")}</a></p></li>`;
  });
}

/** Everything that the cards of a list share. */
type Listing = Day &
  Readonly<{
    /** Names of the things that still exist; each has a page to link to. */
    names: ThingNames;
    /** Tells whether an action came since the person's last visit. */
    isNew(row: Pick<LoggedAction, "called_at" | "door">): boolean;
    /** The buttons of an action. */
    controls(row: LoggedAction): Html | undefined;
  }>;

/** One action: when it was, what it did in words, by whom, and with its details folded. */
function actionCard(row: LoggedAction, listing: Listing): Html {
  const { message } = row;
  const { names, today, timeZone } = listing;
  const { sentence, changes } = describeAction(row, listing);
  return html`<li class="card" id="action-${row.request_id}"><div class="spread">
    <p class="action"><time datetime="${row.called_at}">${localTimeOf(row, timeZone).slice(11)}</time>
    <span>${wordsInHtml(sentence, today, names)}</span></p>
    ${badges(row, listing)}</div>
    ${listInHtml("changes small", changes, today, names)}
    ${message !== null && html`<p class="reason small">It was told: ${quote(message, { longest: 300 })}</p>`}
    ${listing.controls(row)}
    <details><summary class="small"><span class="unseen">Details of what was done by </span>
    ${byWhom(row)}${row.door === "mcp" && html` · ${row.tool}`}</summary>${details(row)}</details></li>`;
}

/** The usual outcome needs no badge. */
function badges(row: LoggedAction, { isNew }: Listing): Html {
  const { outcome, replayed } = row;
  const said = outcomes.find(([code]) => code === outcome)?.[1] ?? outcome;
  const end = outcome === "ok" ? "Repeated" : `${said}${replayed ? ", repeated" : ""}`;
  return html`<div class="badges">${isNew(row) && html`<p class="badge">New</p>`}
    ${(outcome !== "ok" || replayed) && html`<p class="badge${outcome !== "ok" && " bad"}">${end}</p>`}</div>`;
}

function byWhom(row: LoggedAction): Html {
  if (row.door === "page" && row.client_name !== null) return html`You, by ${row.client_name}`;
  if (row.door === "page") return html`You, ${row.tool === "import.apply" ? "by an import" : "on a page"}`;
  return html`<strong>${nameOfCaller(row)}</strong> over ${row.door === "rest" ? "REST" : "MCP"}`;
}

function details({ request_id, duration_ms, token_id, called_at, ...row }: LoggedAction): Html {
  const own = new URLSearchParams({ token_id });
  const since = new URLSearchParams({ token_id, since: called_at });
  return html`<dl class="facts small">
    ${json("Arguments", row.arguments)}${json("Before", row.before ?? "{}")}${json("After", row.after ?? "{}")}
    <dt>Took</dt><dd>${Math.round(duration_ms)} ms</dd>
    ${
      token_id !== "" &&
      html`<dt>Token</dt><dd><code>${token_id}</code> <a href="${actionsPath}?${own.toString()}">All it did</a>
      <a href="${runPath}?${since.toString()}">Take back all since then</a></dd>`
    }
    <dt>Request</dt><dd><code>${request_id}</code></dd></dl>`;
}

const longestJson = 2_000;

/** Arguments and images are stored in one form: whole, or a part beside what was cut. */
function json(label: string, stored: string): Html | false {
  const { args, cut } = readStored(stored);
  const text = cut ? JSON.stringify(args) : stored;
  return (
    stored !== "{}" &&
    html`<dt>${label}</dt>
      <dd><code>${text.slice(0, longestJson)}${text.length > longestJson && "…"}</code>
      ${cut && html`<p class="quiet">Shortened from ${cut.bytes} bytes, SHA-256 <code>${cut.sha256}</code></p>`}</dd>`
  );
}

/** One card for a run: when, who, and a link for each kind of effect to the actions that had it. */
function runCard(rows: Run, { timeZone, isNew }: Listing): Html {
  const [newest, oldest] = [rows[0], rows.at(-1)];
  if (!newest || !oldest) return html``;
  const { token_id } = newest;
  const times = [oldest, newest].map((row) => localTimeOf(row, timeZone).slice(11, 16));
  const period = { since: oldest.called_at, until: justAfter(newest) };
  const who = token_id === "" ? { door: "page" } : { token_id };
  const takeBack = new URLSearchParams({ token_id, since: period.since, to: period.until });
  const address = (more: Record<string, string>) =>
    `${actionsPath}?${new URLSearchParams({ ...who, ...period, ...more })}`;
  const changes = rows.filter(({ effect }) => !["refused", "asked", "read"].includes(effect));
  const undone = changes.filter((row) => row.undone).length;
  const unseen = rows.filter(isNew).length;
  const effects = effectsOf(rows).map(
    ({ effect, count, of }) =>
      html`<a href="${address({ effect })}">${effect} ${of ? countInWords(count, "change") : count}</a>${of && ` of ${of}`} `,
  );
  return html`<li class="card run" id="run-${oldest.request_id}"><div class="spread">
    <span class="mark">${icon(token_id === "" ? "user" : "activity")}</span>
    <p class="action"><span><strong>${token_id === "" ? "You" : nameOfCaller(newest)}</strong>
    <time datetime="${newest.called_at}">${[...new Set(times)].join("–")}</time></span>
    <span class="sum">${effects}</span></p>
    ${unseen > 0 && html`<div class="badges"><p class="badge">${unseen === rows.length ? "New" : `${unseen} new`}</p></div>`}
    <p class="controls">${undone > 0 && html`<span class="quiet">${undone === changes.length ? "All" : undone} taken back</span>`}
    ${token_id !== "" && undone < changes.length && html`<a href="${runPath}?${takeBack.toString()}">Take back…</a>`}
    <a href="${address({})}">One by one</a></p></div></li>`;
}

type Counted = Pick<Run[number], "effect" | "things"> & Partial<Pick<Run[number], "of">>;

/** The number of things for each effect that some actions had, and the callers of those that an undo took back. */
export const effectsOf = (rows: readonly Counted[]) =>
  actionEffects.flatMap((effect) => {
    const own = rows.filter((row) => row.effect === effect);
    const count = own.reduce((sum, { things }) => sum + things, 0);
    const of = new Set(own.flatMap((row) => (row.of ? [callerInWords(row.of)] : [])));
    return own.length > 0 ? [{ effect, count, of: [...of].join(" and ") }] : [];
  });

const callerInWords = (caller: NonNullable<Run[number]["of"]>): string =>
  caller.token_id === "" ? "yours" : nameOfCaller(caller);

/** Periods end before this time. */
const justAfter = ({ called_at }: Run[number]): string => new Date(Date.parse(called_at) + 1).toISOString();

type Known = Day & Readonly<{ undos: Undos; undone: UndoNote | undefined; now: number }>;

/** The buttons of an action in a list, or the note that it was undone. */
const controlsOf =
  (visit: Visit, { undos, undone, now, ...day }: Known) =>
  (action: LoggedAction): Html | undefined => {
    const note = action.request_id === undone?.request_id ? undone.note : undefined;
    if (action.undone_by === null) return html`${note}${buttons(visit, action, now)}`;
    return note ?? undoneInWords(visit, action, undos, day);
  };

function undoneInWords(visit: Visit, action: LoggedAction, undos: Undos, { timeZone, today }: Day): Html {
  const undo = undos.get(action.undone_by ?? "");
  if (!undo) return html`<p class="controls quiet small">Taken back</p>`;
  const url = new URL(visit.url);
  url.searchParams.set("note", `${action.called_at}_${action.request_id}`);
  const address = `${url.pathname}${url.search}#action-${action.request_id}`;
  return html`<p class="controls quiet small">Taken back on
    <time datetime="${undo.called_at}">${sayWallTime(localTimeOf(undo, timeZone), today)}</time>${conflictsOf(undo).length > 0 && html`, <a href="${address}">but not all of it</a>`}</p>`;
}

function buttons(visit: Visit, action: LoggedAction, now: number): Html | undefined {
  const { called_at, request_id, before, after, resource_name } = action;
  const isChange = before !== null || after !== null;
  if (!isChange || Date.parse(called_at) < now - undoDays * msPerDay) return undefined;
  const isGone = isDeletion(changedThings(action));
  const which = html`<span class="unseen">: ${resource_name === null ? called_at : quote(resource_name)}</span>`;
  const key = new URLSearchParams({ called_at, request_id });
  const form = undoForm(
    visit,
    action,
    html`<button class="link">${isGone ? "Bring it back" : "Take back"}${which}</button>
    ${isGone && html`<a href="${forgetPath}?${key.toString()}">Forget for good${which}</a>`}`,
  );
  return visit.url.searchParams.has("since") ? html`${chooseBox(visit, action, which)}${form}` : form;
}
