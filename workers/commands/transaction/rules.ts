import { createHash } from "node:crypto";
import { maxWaiting, waitingHours } from "../../../shared/contracts/approval/contracts.ts";
import { commands as contracts } from "../../../shared/contracts/catalogue.ts";
import type { CommandContract } from "../../../shared/contracts/kernel/contract.ts";
import type { ApprovalRow, TokenRuleRow } from "../../../shared/db/entities.ts";
import { type Columns, fieldsOf } from "../../../shared/domain/action/image-fields.ts";
import { kindOfTable, ownerOf, type RowChange } from "../../../shared/domain/action/images.ts";
import { timestamp } from "../../../shared/domain/day/day.ts";
import { isRefused, type Refused, refuse, unavailable } from "../../../shared/errors.ts";
import type { Outcome, QueuedCommand, Reply } from "../../../shared/queue/batch.ts";
import { changedImages } from "../../handlers/action/action-log.ts";
import { type AskedRequest, tellPerson } from "../../handlers/approval.ts";
import type { OwnTables } from "../../handlers/handler.ts";
import { rowChanges } from "../../unit-of-work/state.ts";
import type { RuledToken } from "../../unit-of-work/tables.ts";
import type { Answered, CommandToRun, RunningGroup } from "../received.ts";
import { approvalIdOf, type Unit } from "./begin.ts";
import { contextOf, discarding, type SharedContext } from "./handler-context.ts";

type Request = Readonly<{
  /** Set for a group, of which `unit` are the commands. */
  group?: RunningGroup;
  close(command: QueuedCommand, outcome: Outcome): Reply;
}>;

/**
 * Judges a request by its effects, whether its token may do that. If not, its changes are thrown away: it waits for
 * the person, or is refused.
 * @returns a function to call with the replies when the request has run
 */
export function underRules<Work extends CommandToRun>(
  transaction: SharedContext,
  unit: Unit<Work>,
  { group, close }: Request,
): (answered: Answered<Work>) => Answered<Work> {
  const { state, context } = transaction;
  const [{ command }] = unit;
  const own = contextOf(transaction, command);
  const { tokenRules, ruledTokens, today } = own;
  const rule = tokenRules.get(command.call?.tokenId ?? "");
  if (!rule) return (answered) => answered;
  const count = state.changes.length;
  const discard = discarding(transaction);
  const asked = new Map(unit.map((one) => [one.command, actOutside(one.command, own)]));
  return (answered) => {
    const changes = rowChanges(state, count);
    const acts = answered.flatMap(([{ command }, { outcome, replayed }]) =>
      replayed || isRefused(outcome) ? [] : (asked.get(command) ?? []),
    );
    const effects = effectsIn(changes, own, acts);
    const { category = null } = ruledTokens.get(rule.token_id) ?? {};
    const { baseUrl } = context.config;
    const verdict = verdictOn(rule, effects, {
      today: today.date,
      timeZone: today.timeZone,
      category,
      baseUrl,
    });
    if (verdict === "allowed") {
      if (effects.things > 0) tokenRules.update(rule, usedWith(rule, effects, today.date));
      return answered;
    }
    discard();
    const outcome = verdict === "asks" ? ask(transaction, unit, { group, changes, acts }) : verdict;
    for (const { ticket } of unit.map((one) => one.command)) group?.ended.set(ticket, outcome);
    return unit.map((one) => [one, close(one.command, outcome)] as const);
  };
}

/** An act whose changes have no images, in words. Its person must see it, so it is known before it is carried out. */
function actOutside({ name, input, preview }: QueuedCommand, { webhooks }: OwnTables): string | undefined {
  const contract: CommandContract = contracts[name];
  if (preview || !contract.asks) return undefined;
  const fields: Record<string, unknown> = Object.assign({}, input);
  const { webhook_id: id } = fields;
  return contract.asks(fields, typeof id === "string" ? (webhooks.get(id)?.url ?? "") : "");
}

const hourMs = 3_600_000;

type Judged = Readonly<{
  group: RunningGroup | undefined;
  changes: readonly RowChange[];
  acts: readonly string[];
}>;

/** Stores the request until its person decides. */
function ask<Work extends CommandToRun>(
  transaction: SharedContext,
  unit: Unit<Work>,
  { group, changes, acts }: Judged,
): Refused {
  const [{ command }] = unit;
  const { userId, acceptedAt, call } = command;
  const context = contextOf(transaction, command);
  const { baseUrl } = transaction.context.config;
  const id = approvalIdOf(unit);
  const known = context.approvals.get(id);
  if (known) return waits(known, baseUrl);
  // A group that failed is tried again in halves, and neither is what the person should judge.
  if (group && unit.length < group.operations.size) return unavailable("no");
  const full = transaction.context.accountBytes.refusal(userId, "more");
  if (full) return full;
  const { before, after } = changedImages(context, changes);
  const tokenId = call?.tokenId ?? "";
  const isNew = ({ created_at }: ApprovalRow) => created_at === context.now;
  const others = context.ruledTokens.get(tokenId)?.waiting ?? 0;
  if (others + context.approvals.all().filter(isNew).length >= maxWaiting) return tooManyWait(baseUrl);
  const approval = context.approvals.insert({
    ...{ id, token_id: tokenId, client_name: call?.clientName ?? null, state: "waiting" },
    request: JSON.stringify(requestOf(command, group)),
    ...{ before: JSON.stringify(before), after: JSON.stringify(after), rests_on: restsOn(changes) },
    acts: [...acts],
    expires_at: new Date(acceptedAt + waitingHours * hourMs).toISOString(),
    ...{ outcome: null, decided_at: null, created_at: context.now },
  });
  if (transaction.times.users.get(userId)?.reminder_channel !== "log") tellPerson(context, userId);
  return waits(approval, baseUrl);
}

function requestOf({ name, input, acceptedAt, call }: QueuedCommand, group?: RunningGroup): AskedRequest {
  const operations = group && [...group.operations.values()];
  return {
    ...{ name, input: group ? {} : input, acceptedAt },
    ...(call && { call }),
    ...(group && operations && { group: { atomic: group.atomic, operations } }),
  };
}

const approvalsAt = (baseUrl: string): string => `${baseUrl}/account/approvals`;

function waits({ id, state, expires_at }: ApprovalRow, baseUrl: string): Refused {
  const reason = "This waits for the person's approval, and nothing is changed yet.";
  return refuse("waiting", reason, {
    next: `Ask the person to decide at ${approvalsAt(baseUrl)} within ${waitingHours} hours.`,
    approval: { id, state, expires_at: timestamp(expires_at), approve_at: approvalsAt(baseUrl) },
  });
}

const tooManyWait = (baseUrl: string): Refused =>
  refuse("token_limit", "As many requests wait for the person's approval as this token may have.", {
    next: `Ask the person to decide about them at ${approvalsAt(baseUrl)}`,
  });

/** The page where the person changes the rules of tokens. */
const rulesAt = (baseUrl: string): string => `${baseUrl}/account/agents`;

type Circumstances = Readonly<{
  today: string;
  timeZone: string;
  category: RuledToken["category"];
  baseUrl: string;
}>;

/**
 * Judges a request by the rules of its token: it may be carried out, must be asked for, or is refused. A request that
 * waits uses up nothing of the day, because the person decides about it.
 */
function verdictOn(
  rule: TokenRuleRow,
  effects: Effects,
  circumstances: Circumstances,
): "allowed" | "asks" | Refused {
  const { things, deletions, categories, acts } = effects;
  if (things === 0) return "allowed";
  const isOutside = rule.category_id != null && [...categories].some((id) => id !== rule.category_id);
  if (isOutside) return outside(rule.category_id ?? 0, circumstances);
  const isMany = rule.ask_above != null && things > rule.ask_above;
  if (isMany || (rule.asks_deletions && deletions > 0)) return "asks";
  // An act outside has no number, deletions or category to judge it by.
  if (acts > 0 && (rule.asks_deletions || rule.ask_above != null || rule.category_id != null)) return "asks";
  const { changes_used, deletions_used } = usedOn(rule, circumstances.today);
  if (isOver(changes_used + things, rule.changes_per_day))
    return usedUp("change", rule.changes_per_day, changes_used, circumstances);
  if (deletions > 0 && isOver(deletions_used + deletions, rule.deletions_per_day))
    return usedUp("delete", rule.deletions_per_day, deletions_used, circumstances);
  return "allowed";
}

const isOver = (used: number, most: number | null | undefined): boolean => most != null && used > most;

type Used = Readonly<Pick<TokenRuleRow, "used_on" | "changes_used" | "deletions_used">>;

/** The counts of a day. A change of zone may bring back an earlier day, which goes on with these counts. */
function usedOn({ used_on, changes_used, deletions_used }: Used, today: string): Used {
  const isNewDay = used_on == null || used_on < today;
  return isNewDay
    ? { used_on: today, changes_used: 0, deletions_used: 0 }
    : { used_on, changes_used, deletions_used };
}

/** The counts after a request that was carried out. */
function usedWith(rule: Used, { things, deletions }: Effects, today: string): Used {
  const { used_on, changes_used, deletions_used } = usedOn(rule, today);
  return { used_on, changes_used: changes_used + things, deletions_used: deletions_used + deletions };
}

function outside(id: number, { category, baseUrl }: Circumstances): Refused {
  const which = category === null ? `category ${id}, which is deleted` : `the category “${category}” (${id})`;
  return refuse("token_limit", `This token may only change things in ${which}.`, {
    next: `Leave other things to the person, who can allow more at ${rulesAt(baseUrl)}`,
  });
}

function usedUp(
  verb: "change" | "delete",
  most: number | null | undefined,
  used: number,
  { timeZone, baseUrl }: Circumstances,
): Refused {
  const left = Math.max(0, (most ?? 0) - used);
  return refuse("token_limit", `This token may ${verb} ${most} things a day, of which ${left} are left.`, {
    next: `Try less, or wait for the next day in ${timeZone}. The person can allow more at ${rulesAt(baseUrl)}`,
  });
}

/** The effects of a request by which the rules of its token judge it. */
type Effects = Readonly<{
  /** Changed things: made, changed or deleted ones. */
  things: number;
  deletions: number;
  /** Acts whose changes have no images, counted among the things. */
  acts: number;
  /** The categories of changed things, before and after; null for things without one. */
  categories: ReadonlySet<number | null>;
}>;

/** A recurring todo and its successor count as one thing. */
function effectsIn(
  all: readonly RowChange[],
  loaded: Pick<OwnTables, "habits" | "todos">,
  acts: readonly string[],
): Effects {
  const successors = new Set(all.flatMap(successorIn));
  const changes = all.filter(({ table, key }) => !(table === "todos" && successors.has(key[0] ?? "")));
  const isDeletion = ({ table, after }: RowChange) => kindOfTable(table) !== undefined && !after;
  return {
    things: new Set(changes.map(({ table, key }) => `${ownerOf(table)}/${key[0]}`)).size + acts.length,
    acts: acts.length,
    deletions: changes.filter(isDeletion).length,
    categories: new Set(all.flatMap((change) => categoriesOf(change, loaded))),
  };
}

/** The successor that a completion made, or that a reopening removed. */
function successorIn({ before, after }: RowChange): string[] {
  if (!before || !after) return [];
  return [before.next_todo_id, after.next_todo_id].flatMap((id) => (id == null ? [] : [String(id)]));
}

/** A reminder or completion has the category of its thing, whose own row tells it if it is gone. */
function categoriesOf(
  { table, key, before, after }: RowChange,
  loaded: Pick<OwnTables, "habits" | "todos">,
): (number | null)[] {
  if (table === "categories") return [Number(key[0])];
  const isThing = kindOfTable(table) !== undefined;
  const things = ownerOf(table) === "habit" ? loaded.habits : loaded.todos;
  const rows = isThing ? [before, after] : [things.get(Number(key[0]))];
  const idOf = ({ category_id: id }: Columns) => (typeof id === "number" ? id : null);
  return rows.flatMap((row) => (row ? [idOf(row)] : []));
}

/** Columns that change when a reminder rings: nobody did that. */
const rung = ["status", "updated_at", "delivery_id", "rings_at", "rang_on"];

/** @returns a hash of the rows that a request changes, as they were before */
export function restsOn(changes: readonly RowChange[]): string {
  const rows = changes.flatMap(({ table, key, before }) => {
    if (!before) return [];
    const fields = fieldsOf(table, before);
    for (const name of rung) delete fields[name];
    return [`${table}/${key.join("/")} ${inOrder(fields)}`];
  });
  return createHash("sha256").update(rows.toSorted().join("\n")).digest("base64url");
}

/** PostgreSQL stores the names in JSON in an order of its own. */
const inOrder = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) =>
    typeof part === "object" && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : part,
  );
