import { isRefused, type Refused } from "../../../../shared/errors.ts";
import { createGiveWay } from "../../../../shared/process/give-way.ts";
import { failedDependency } from "../../../../shared/queue/group-end.ts";
import type { Actor } from "../../../mailbox/actor.ts";
import type { GroupedOperation } from "../../../mailbox/dispatch-group.ts";
import { type Content, prepare } from "../../../perform.ts";
import { pathIds, targetContent } from "../content.ts";
import type { ReadOperation } from "./read-operations.ts";

/** An operation that may be carried out, or its refusal. */
type PreparedOperation = GroupedOperation | Refused;

/** Checks scopes and contract of each operation, as for a request of its own. */
export async function prepareOperations(
  actor: Pick<Actor, "userId" | "scopes">,
  operations: readonly ReadOperation[],
): Promise<readonly PreparedOperation[]> {
  const prepared: PreparedOperation[] = [];
  const giveWay = createGiveWay();
  for (const operation of operations) {
    const failed = operation.references.find(({ index }) => isRefused(prepared[index] ?? {}));
    prepared.push(failed ? failedDependency(failed.index) : await prepareOne(actor, operation, operations));
    await giveWay();
  }
  return prepared;
}

async function prepareOne(
  actor: Pick<Actor, "userId" | "scopes">,
  operation: ReadOperation,
  operations: readonly ReadOperation[],
): Promise<PreparedOperation> {
  const { index, name, contract, route, idempotencyKey } = operation;
  const content = () => operationContent(operation);
  const ready = await prepare({ contract, actor, required: route.required, content });
  if (isRefused(ready)) return ready;
  const input: Record<string, unknown> = { ...ready.input };
  const references: Record<string, number> = {};
  for (const reference of operation.references) {
    const made = originOf(reference.index, operations);
    if ("id" in made) input[reference.field] = made.id;
    else references[reference.field] = made.index;
  }
  const after = [...new Set(operation.references.map((reference) => reference.index))];
  return { index, name, input, references, after, idempotencyKey };
}

/** A made-up id stands for each reference until the real one is known. */
const anyId = 1;

function operationContent(operation: ReadOperation): Content | Refused {
  const { references, query } = operation;
  const params = { ...operation.params };
  const body = { ...operation.body };
  for (const { field } of references) {
    if (field in params) params[field] = String(anyId);
    else body[field] = anyId;
  }
  const target = { ...operation, params };
  const ids = pathIds(target);
  return isRefused(ids) ? ids : targetContent(target, { ...ids, query, body });
}

/** @returns the id in an operation's answer, or the index of the operation that will make it */
function originOf(
  index: number,
  operations: readonly ReadOperation[],
): Readonly<{ id: number }> | Readonly<{ index: number }> {
  const operation = operations[index];
  const [own] = Object.entries(operation?.params ?? {});
  if (!own) return { index };
  const [name, text] = own;
  const reference = operation?.references.find(({ field }) => field === name);
  return reference ? originOf(reference.index, operations) : { id: Number(text) };
}
