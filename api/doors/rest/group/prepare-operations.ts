import { isRefused, type Refused } from "../../../../shared/errors.ts";
import { failedDependency } from "../../../../shared/queue/group-end.ts";
import { createGiveWay } from "../../../http/give-way.ts";
import type { Actor } from "../../../mailbox/actor.ts";
import type { GroupedOperation } from "../../../mailbox/dispatch-group.ts";
import { type Content, prepare } from "../../../perform.ts";
import { pathIds, targetContent } from "../content.ts";
import type { ReadOperation } from "./read-operations.ts";

/** An operation that may be carried out, or why not. */
type PreparedOperation = GroupedOperation | Refused;

/** Checks the scopes and the contract of each operation, as if it had been sent alone. */
export async function prepareOperations(
  actor: Pick<Actor, "userId" | "scopes">,
  operations: readonly ReadOperation[],
): Promise<readonly PreparedOperation[]> {
  const prepared: PreparedOperation[] = [];
  const giveWay = createGiveWay();
  for (const operation of operations) {
    const failed = operation.references.find(({ place }) => isRefused(prepared[place] ?? {}));
    prepared.push(failed ? failedDependency(failed.place) : await prepareOne(actor, operation, operations));
    await giveWay();
  }
  return prepared;
}

async function prepareOne(
  actor: Pick<Actor, "userId" | "scopes">,
  operation: ReadOperation,
  operations: readonly ReadOperation[],
): Promise<PreparedOperation> {
  const { place, name, contract, route, idempotencyKey } = operation;
  const content = () => operationContent(operation);
  const ready = await prepare({ contract, actor, required: route.required, content });
  if (isRefused(ready)) return ready;
  const input: Record<string, unknown> = { ...ready.input };
  const references: Record<string, number> = {};
  for (const reference of operation.references) {
    const made = originOf(reference.place, operations);
    if ("id" in made) input[reference.field] = made.id;
    else references[reference.field] = made.place;
  }
  const after = [...new Set(operation.references.map((reference) => reference.place))];
  return { place, name, input, references, after, idempotencyKey };
}

/** Any id stands for the references until they are known. */
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

/** @returns the id in an operation's answer, or the place of the operation that makes what has it */
function originOf(
  place: number,
  operations: readonly ReadOperation[],
): Readonly<{ id: number }> | Readonly<{ place: number }> {
  const operation = operations[place];
  const [own] = Object.entries(operation?.params ?? {});
  if (!own) return { place };
  const [name, text] = own;
  const reference = operation?.references.find(({ field }) => field === name);
  return reference ? originOf(reference.place, operations) : { id: Number(text) };
}
