import { Type } from "typebox";
import { Compile } from "typebox/compile";
import {
  type LoggedAction,
  listActions,
  UndoConflict,
  undoActions,
} from "../../../../../shared/contracts/action/contracts.ts";
import { isCalendarDate } from "../../../../../shared/contracts/kernel/text.ts";
import { readStored } from "../../../../../shared/domain/action/cut-arguments.ts";
import { readImages } from "../../../../../shared/domain/action/images.ts";
import { isRefused } from "../../../../../shared/errors.ts";
import { type Html, html } from "../../../../../shared/html.ts";
import { validate } from "../../../../http/input.ts";
import {
  causeOf,
  type LaterChange,
  readLaterChanges,
  rowsInTheWay,
} from "../../../../queries/action/later-changes.ts";
import { type ActionKey, readAction, readActionInTurn, readUndos } from "../../../../queries/action/runs.ts";
import {
  type ChangedThing,
  changedThings,
  isDeletion,
  namesThen,
  parseRow,
  readNames,
  titleIn,
} from "../../../../queries/action/things.ts";
import type { QueryContext } from "../../../../queries/engine/context.ts";
import { formToken } from "../../../../web/form/form.ts";
import { safeNext, seeOther } from "../../../../web/redirect.ts";
import { notFoundPage } from "../../../../web/router.ts";
import type { PageAnswer, Visit } from "../../session/context.ts";
import { accountPage } from "../../session/frame.ts";
import { hereWithoutNotes, withParameter } from "../../session/go-on.ts";
import { submit, submitUndo } from "../../session/submit.ts";
import { type Known, toldFields } from "../narrator.ts";
import {
  actionsPath,
  choosePath,
  type Day,
  forgetPath,
  listInHtml,
  localTimeOf,
  nameOfCaller,
  quote,
  undoPath,
  type Word,
} from "../words.ts";

export const undoForm = (visit: Visit, { called_at, request_id }: LoggedAction, button: Html): Html =>
  html`<form method="post" action="${undoPath}" class="controls">${formToken(visit, { called_at, request_id, from: hereWithoutNotes(visit) })}
    ${button}</form>`;

/** POST /account/actions/undo: undoes one action as far as possible, and returns to the person's page. */
export async function undoAction(visit: Visit, form: URLSearchParams): Promise<PageAnswer> {
  const key = { called_at: form.get("called_at") ?? "", request_id: form.get("request_id") ?? "" };
  const outcome = await submitUndo(visit, [key]);
  if (isRefused(outcome)) return outcome;
  const site = { ...visit.site, afterSignIn: actionsPath };
  const address = withParameter(site, form.get("from"), "note", `${key.called_at}_${key.request_id}`);
  return seeOther(`${address}#action-${key.request_id}`);
}

export type UndoNote = Readonly<{ request_id: string; note: Html }>;

/**
 * The outcome of an undo (`?note=…`): from the log, or from a preview if the action is not undone. So a reload
 * shows the present state.
 */
export async function readNote(visit: Visit, query: QueryContext, day: Day): Promise<UndoNote | undefined> {
  const cursor = visit.url.searchParams.get("note") ?? "";
  if (cursor === "forgotten") return { request_id: "", note: noteOf("It is forgotten for good.", [], day) };
  const chosen = chosenInWords(cursor);
  if (chosen !== undefined) return { request_id: "", note: noteOf(chosen, [], day) };
  const key = keyIn(cursor);
  const found = key && (await query.inTurn((own) => readUndone(own, key)));
  if (!found || isRefused(found) || !found.action) return undefined;
  const { headline, conflicts } = await endOf(visit, found.action, found.undo);
  if (headline === undefined) return undefined;
  const known = { names: await readNames(query, [found.action]), timeZone: day.timeZone };
  const [sentences = []] = await conflictsInWords(query, [{ action: found.action, conflicts }], known);
  return { request_id: found.action.request_id, note: noteOf(headline, sentences, day) };
}

async function readUndone(query: QueryContext, key: ActionKey) {
  const action = await readAction(query, key);
  const undos = await readUndos(query, action ? [action] : []);
  return { action, undo: undos.get(action?.undone_by ?? "") };
}

type End = Readonly<{ headline?: string; conflicts: readonly UndoConflict[] }>;

/** @returns no headline for an action that can still be undone whole */
async function endOf(
  visit: Visit,
  action: LoggedAction,
  undo: Pick<LoggedAction, "arguments"> | undefined,
): Promise<End> {
  if (action.undone_by !== null) {
    const conflicts = undo ? conflictsOf(undo) : [];
    return { headline: conflicts.length > 0 ? "Taken back, but not all of it." : "Taken back.", conflicts };
  }
  const outcome = await submitUndo(visit, [action], { preview: true });
  const [end] = isRefused(outcome) ? [] : outcome.ends;
  if (!end || end.undone === "whole") return { conflicts: [] };
  return { headline: "This could not be taken back.", conflicts: end.conflicts };
}

const noteOf = (headline: string, sentences: readonly (readonly Word[])[], { today }: Day): Html =>
  html`<div class="note${sentences.length > 0 && " warn"}" role="status"><p>${headline}</p>${listInHtml("conflicts", sentences, today)}</div>`;

const formId = "choose";

/** The form that takes back the chosen actions of the list. With `all` in the address, all begin chosen. */
export function chooseForm(visit: Visit): Html {
  const here = new URL(hereWithoutNotes(visit), visit.site.origin);
  const hasAll = here.searchParams.has("all");
  if (hasAll) here.searchParams.delete("all");
  else here.searchParams.set("all", "1");
  return html`<form method="post" action="${choosePath}" id="${formId}" class="actions">${formToken(visit, { from: hereWithoutNotes(visit) })}
    <button class="plain">Take back the chosen ones</button>
    <a href="${here.pathname}${here.search}">${hasAll ? "Choose none" : "Choose all on this page"}</a></form>`;
}

export const chooseBox = (visit: Visit, { called_at, request_id }: LoggedAction, name: Html): Html =>
  html`<label class="choose"><input type="checkbox" form="${formId}" name="action" value="${called_at}_${request_id}"${visit.url.searchParams.has("all") && html` checked`}>
    <span class="unseen">Choose${name}</span></label>`;

/** POST /account/actions/choose: undoes the chosen actions of a list, as many as one command takes, and returns to it. */
export async function undoChosen(visit: Visit, form: URLSearchParams): Promise<PageAnswer> {
  const from = new URL(
    safeNext({ ...visit.site, afterSignIn: actionsPath }, form.get("from")),
    visit.site.origin,
  );
  const keys = form.getAll("action").flatMap((value) => keyIn(value) ?? []);
  if (keys.length > 0) {
    const outcome = await submitUndo(visit, keys);
    if (isRefused(outcome)) return outcome;
    const whole = outcome.ends.filter(({ undone }) => undone === "whole").length;
    from.searchParams.set("note", [whole, outcome.ends.length, keys.length].join(" of "));
    from.searchParams.delete("all");
  }
  return seeOther(`${from.pathname}${from.search}`);
}

/** @returns the sentence for a note such as `12 of 15 of 20` (whole, tried, chosen); undefined for another */
function chosenInWords(note: string): string | undefined {
  if (!/^\d{1,3} of \d{1,3} of \d{1,3}$/.test(note)) return undefined;
  const [whole = 0, tried = 0, chosen = 0] = note.split(" of ").map(Number);
  const left = chosen - tried;
  return [
    `${whole} ${whole === tried ? "" : `of ${tried} `}taken back.`,
    ...(whole < tried ? ["The others were changed since, or are taken back already."] : []),
    ...(left > 0 ? [`${left} are too large to be taken back by the same press: choose them again.`] : []),
  ].join(" ");
}

/** @returns the log key in a parameter such as `2026-11-20T09:15:00.000Z_<request id>`; undefined for another text */
function keyIn(cursor: string): ActionKey | undefined {
  const [called_at, request_id] = cursor.split("_");
  const isWrong = isRefused(validate(listActions, { cursor }));
  return isWrong || !called_at || !request_id ? undefined : { called_at, request_id };
}

type Conflicting = Readonly<{ action: LoggedAction; conflicts: readonly UndoConflict[] }>;

const undoArguments = Compile(Type.Object({ stayed: Type.Array(UndoConflict) }));

/** The conflicts of an undo, from its row in the log. */
export function conflictsOf(undo: Pick<LoggedAction, "arguments">): readonly UndoConflict[] {
  const { args } = readStored(undo.arguments);
  return undoArguments.Check(args) ? args.stayed : [];
}

/** Nobody reads more conflicts of one action. */
const mostTold = 10;

/**
 * @param except the token whose actions are all undone; its own later changes are no conflict
 * @returns for each action a sentence for each conflict, with who changed what since
 */
export async function conflictsInWords(
  query: QueryContext,
  all: readonly Conflicting[],
  { names, timeZone, except }: Known & Readonly<{ except?: string }>,
): Promise<readonly (readonly (readonly Word[])[])[]> {
  const rowNames = [
    ...new Set(all.flatMap(({ conflicts }) => conflicts.slice(0, mostTold).flatMap(rowsInTheWay))),
  ];
  const [oldest] = all.map(({ action }) => action).toSorted((one, other) => (isAfter(one, other) ? 1 : -1));
  const isNeeded = oldest !== undefined && rowNames.length > 0;
  const found =
    isNeeded && (await query.inTurn((own) => readLaterChanges(own, oldest, { rowNames, except }), true));
  const changes = !found || isRefused(found) ? [] : found;
  return all.map(({ action, conflicts }) => {
    const later = changes.filter((change) => isAfter(change, action));
    const known = { action, names: namesThen(action, names), timeZone };
    const told = conflicts
      .slice(0, mostTold)
      .map((one) => sayConflict(one, { ...known, by: causeOf(one, later) }));
    const more = conflicts.length - mostTold;
    return more > 0 ? [...told, [`And ${more} more like that.`]] : told;
  });
}

const isAfter = (one: ActionKey, other: ActionKey): boolean =>
  `${one.called_at}_${one.request_id}` > `${other.called_at}_${other.request_id}`;

/** An action, the names of that time, and the later change that conflicts, if found. */
type Past = Known & Readonly<{ action: LoggedAction; by: Omit<LaterChange, "before" | "after"> | undefined }>;

/** A sentence such as: The todo “Pay rent” keeps its present title: “Claude Desktop” changed that on Fri 20 Nov 09:12:01. */
export function sayConflict(conflict: UndoConflict, past: Past): readonly Word[] {
  const { row, why } = conflict;
  try {
    const subject = row === null ? undefined : subjectOf(row, past);
    if (row !== null && subject) return [...subject, ...clauseOf({ ...conflict, row }, past)];
  } catch {
    // An unreadable image or an unknown row leads to a sentence without the name.
  }
  return [`It ${clauses[why]}.`];
}

const clauses: Readonly<Record<UndoConflict["why"], string>> = {
  unknown: "is not in the log",
  too_old: "is more than 30 days old",
  nothing_changed: "changed nothing",
  taken_back: "is taken back already",
  changed_since: "was changed since",
  deleted_since: "is gone",
  made_again: "is there again already",
  in_use: "stays, because something else belongs to it now",
  category_gone: "does not get its category back, because that is gone",
};

function clauseOf(
  { row, fields, why }: UndoConflict & Readonly<{ row: string }>,
  past: Past,
): readonly Word[] {
  if (why === "deleted_since") return [" is gone: ", ...changeOf(past, "deleted", "it")];
  if (why !== "changed_since") return [` ${clauses[why]}.`];
  const present = listOf(fields);
  return row in readImages(past.action.before).images
    ? [` keeps its present ${present}: `, ...changeOf(past, "changed", "that")]
    : [" stays: ", ...changeOf(past, "changed", `its ${present}`)];
}

/** The caller and the time of a later change; both are left out if it was not found. */
function changeOf({ by, timeZone }: Past, verb: string, what: string): readonly Word[] {
  if (!by) return [`somebody ${verb} ${what} since.`];
  const who: Word = by.door === "page" ? "you" : { quoted: nameOfCaller(by) };
  return [who, ` ${verb} ${what} on `, { wallTime: localTimeOf(by, timeZone) }, "."];
}

/** The thing that a row is or belongs to. */
function subjectOf(row: string, { names }: Past): readonly Word[] | undefined {
  const parsed = parseRow(row);
  if (!parsed) return undefined;
  const { table, date, thing, kind } = parsed;
  const name = names.get(thing);
  const object = name === undefined ? `number ${thing.split("/")[1]}` : { name, thing };
  if (table === "reminders") return ["The reminder of ", object];
  const part = partsOfDay.get(table);
  if (!part) return [`The ${kind} `, object];
  return [`The ${part} of `, object, " for ", isCalendarDate(date) ? { date } : { quoted: date }];
}

const partsOfDay: ReadonlyMap<string, string> = new Map([
  ["habit_completions", "completion"],
  ["habit_amounts", "amount"],
]);

const told = Object.values(toldFields).flat();

/** The nouns of columns. The last ones are told of no change, because they follow from others. */
const nouns: ReadonlyMap<string, string> = new Map([
  ...told.flatMap(({ noun, columns }) => columns.map((column) => [column, noun] as const)),
  ["recurrence_anchor", "repetition"],
  ["is_completed", "completion"],
  ["completed_at", "completion"],
  ["completed_on", "completion"],
  ["next_todo_id", "completion"],
  ["reminder", "reminder"],
  ["status", "reminder"],
]);

function listOf(columns: readonly string[]): string {
  const known = [...new Set(columns.flatMap((column) => nouns.get(column) ?? []))];
  const last = known.pop() ?? "state";
  return known.length > 0 ? `${known.join(", ")} and ${last}` : last;
}

/** GET /account/actions/forget?called_at=…&request_id=…: asks before what an action deleted is forgotten for good. */
export async function askForget(visit: Visit): Promise<PageAnswer> {
  const { context, url } = visit;
  const { called_at, request_id } = Object.fromEntries(url.searchParams);
  const validated = validate(undoActions, { actions: [{ called_at, request_id }] });
  const [key] = isRefused(validated) ? [] : validated.input.actions;
  const action = key && (await readActionInTurn(visit.query, key));
  const things = action?.undone_by === null ? changedThings(action) : [];
  if (!isDeletion(things)) return notFoundPage(context.site);
  const body = html`<p>Then it cannot be brought back, and nobody can read here any more what it was: the log says only
    that something was deleted, when and by whom. Backups of this server have it until newer ones take their place.</p>
    ${things.map((thing) => thingForm(visit, thing))}
    <p><a href="${actionsPath}">Do not forget</a></p>`;
  return accountPage(visit, { title: "Forget for good?", body });
}

function thingForm(visit: Visit, { thing, kind, before }: ChangedThing): Html {
  const name = quote(titleIn(before));
  return html`<form method="post" action="${forgetPath}" class="card spread">${formToken(visit, { kind, id: thing.split("/")[1] })}
    <p>The ${kind} ${name}</p>
    <button class="danger">Forget it for good<span class="unseen">: ${name}</span></button></form>`;
}

/** POST /account/actions/forget */
export async function forgetThing(visit: Visit, form: URLSearchParams): Promise<PageAnswer> {
  const fields = { kind: form.get("kind"), id: Number(form.get("id")) };
  const outcome = await submit(visit, "action.forget", fields);
  if (isRefused(outcome)) return outcome;
  return seeOther(`${actionsPath}?note=forgotten`);
}
