import { entityTag, failedPrecondition } from "../../shared/domain/preconditions.ts";
import { preconditionFailed, type Refused } from "../../shared/errors.ts";
import type { QueuedCommand } from "../../shared/queue/batch.ts";
import type { AnyHandler, HandlerContext } from "../handlers/handler.ts";

/** Refuses a command whose caller has seen another state of the resource than the locked rows have. */
export function checkPreconditions(
  handler: AnyHandler,
  context: HandlerContext,
  { preconditions, input }: QueuedCommand,
): Refused | undefined {
  if (!preconditions) return undefined;
  const resource = handler.current ? handler.current(context, input) : null;
  if (resource === undefined) return undefined;
  const failed = failedPrecondition(preconditions, resource && entityTag(JSON.stringify(resource)));
  return failed && preconditionFailed(failed);
}
