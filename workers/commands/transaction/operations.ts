import { parseWithTexts } from "../../../shared/domain/action/shared-texts.ts";
import type { Outcome } from "../../../shared/queue/batch.ts";
import { type QueuedOperation, resolved } from "../../../shared/queue/group.ts";
import { answeredId } from "../../../shared/queue/group-end.ts";
import { handlers } from "../../handlers/index.ts";
import type { Queryable } from "../../unit-of-work/connection.ts";
import { load } from "../../unit-of-work/load.ts";
import { emptyState, ownRows } from "../../unit-of-work/state.ts";
import type { CommandToRun } from "../received.ts";
import { type Answers, closing } from "./answer.ts";
import { answerInGroup } from "./answer-group.ts";
import { type BeginContext, begin, storedReplyRows } from "./begin.ts";
import type { RunningGroup } from "./group.ts";
import type { AnswerContext } from "./handler-context.ts";
import { discarding } from "./preview.ts";
import { underRules } from "./rules/under-rules.ts";

/**
 * Begins a transaction and runs operations of a group in it: all of them, or none if a row is locked elsewhere,
 * because a later operation must not overtake an earlier one.
 */
export async function answerOperations<Work extends CommandToRun>(
  context: BeginContext & AnswerContext,
  connection: Queryable,
  work: readonly Work[],
  group: RunningGroup,
  isStep = false,
): Promise<Answers<Work>> {
  const newIds = await idsOfMade(connection, context, work, group);
  const known = work.map((one) => withIds(one, group, newIds));
  const begun = await begin(context, connection, known, isStep ? "wait" : "skip", isStep);
  const transaction = { context, ...begun, newIds };
  const [first, ...others] = known;
  if (!first || begun.lockedElsewhere.size > 0) return { begun, replies: undefined, lockedElsewhere: work };
  const judged = underRules(transaction, [first, ...others], { group, close: closing(transaction) });
  const discard = first.command.preview ? discarding(begun) : undefined;
  const answered = await answerInGroup(transaction, group, known);
  discard?.();
  const replies = answered && judged(answered);
  return { begun, replies, lockedElsewhere: replies ? [] : work };
}

/**
 * Finds the ids of new rows to which other operations refer: ids of stored replies, else new ones. So all inputs
 * are known before rows are loaded, and ids grow in the order of the operations.
 * @returns the ids by command
 */
async function idsOfMade(
  connection: Queryable,
  { tables, openNewRows }: BeginContext,
  work: readonly CommandToRun[],
  { operations }: RunningGroup,
): Promise<ReadonlyMap<string, number>> {
  const all = [...operations.values()];
  const [userId] = work.map(({ command }) => command.userId);
  if (userId === undefined || !all.some(hasReferences)) return new Map();
  const makers = all.flatMap(({ id, name }) => {
    const { makes: table } = handlers[name];
    return table ? [{ userId, id, name, table }] : [];
  });
  const state = emptyState(tables);
  const stored = makers.flatMap(storedReplyRows);
  await load(connection, state, stored, "skip");
  const newIds = new Map<string, number>();
  for (const { command_id, reply } of ownRows(state, "inbox", userId).all()) {
    const id = answeredId(parseWithTexts(reply) as Outcome);
    if (id !== undefined) newIds.set(command_id, id);
  }
  const unmade = makers.filter(({ id }) => !newIds.has(id));
  const newRows = openNewRows();
  await newRows.reserve(connection, unmade);
  for (const { id, table } of unmade) newIds.set(id, newRows.nextId(table));
  return newIds;
}

const hasReferences = ({ references }: QueuedOperation): boolean => Object.keys(references).length > 0;

function withIds<Work extends CommandToRun>(
  one: Work,
  { operations }: RunningGroup,
  newIds: ReadonlyMap<string, number>,
): Work {
  const { command } = one;
  const operation = operations.get(command.ticket);
  const numbered = { ...one, hasId: newIds.has(command.id) };
  if (!operation || !hasReferences(operation)) return numbered;
  const { input, fingerprint } = resolved(operation, (index) => {
    const id = newIds.get(operations.get(index)?.id ?? "");
    if (id === undefined) throw new Error(`Operation ${index} makes nothing that another can refer to.`);
    return id;
  });
  return { ...numbered, command: { ...command, input, fingerprint } };
}
