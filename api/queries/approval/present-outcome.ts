import type { ApprovalState } from "../../../shared/domain/vocabulary.ts";
import { conflict, isRefused, type Refused } from "../../../shared/errors.ts";
import type { Outcome } from "../../../shared/queue/batch.ts";
import type { QueryContext } from "../engine/context.ts";
import { findApproval } from "./read.ts";

const ended: Readonly<Partial<Record<ApprovalState, Refused>>> = {
  declined: conflict("The person declined this", "do not ask again unless they want it."),
  expired: conflict("Nobody approved this in time", "ask again with a new idempotency key."),
  outdated: conflict(
    "The person approved this, but it could not be done any more, because things changed meanwhile",
    "look at them again, and ask again with a new idempotency key.",
  ),
};

/** The present outcome of a request that waited for approval when it was sent first: its answer once it is done. */
export async function presentOutcome(query: QueryContext, outcome: Outcome): Promise<Outcome> {
  const { approval } = isRefused(outcome) ? outcome.refusal : {};
  const found = approval && (await findApproval(query, approval.id));
  if (!found || !isRefused(outcome)) return outcome;
  const { state } = found;
  const waiting = { refusal: { ...outcome.refusal, approval: { ...approval, state } } };
  return found.outcome ?? ended[state] ?? waiting;
}
