import type { ApprovalRow } from "../../../shared/db/entities.ts";
import { sql } from "../../../shared/db/reads/sql.ts";
import { timestamp } from "../../../shared/domain/day/day.ts";
import type { ApprovalState } from "../../../shared/domain/vocabulary.ts";
import { notFound } from "../../../shared/errors.ts";
import type { Outcome } from "../../../shared/queue/batch.ts";
import type { QueryContext, QueryHandler } from "../engine/context.ts";

type StoredApproval = Pick<
  ApprovalRow,
  "id" | "state" | "outcome" | "expires_at" | "decided_at" | "created_at"
>;

/** The token's own request for approval, with its present state. */
export async function findApproval({ own, rows, token, now }: QueryContext, id: string) {
  const [found] = await rows(sql<StoredApproval>`
    select a.id, a.state, a.outcome, a.expires_at, a.decided_at, a.created_at from ${own("approvals")} a
    where a.id = ${id}::uuid and a.token_id = ${token.tokenId} and a.token_id <> ''`);
  if (!found) return undefined;
  const outcome: Outcome | undefined = found.outcome == null ? undefined : JSON.parse(found.outcome);
  return { ...found, state: stateAt(found, now), outcome };
}

/** Nobody writes that a request expired: the time says it. */
export const stateAt = (
  { state, expires_at }: Pick<StoredApproval, "state" | "expires_at">,
  now: number,
): ApprovalState => (state === "waiting" && Date.parse(timestamp(expires_at)) <= now ? "expired" : state);

export const readApproval: QueryHandler<"approval.get"> = async (query, { approval_id }) => {
  const found = await findApproval(query, approval_id);
  if (!found) return notFound("Approval");
  const { id, state, outcome, decided_at, expires_at, created_at } = found;
  return {
    ...{ id, state, created_at: timestamp(created_at), expires_at: timestamp(expires_at) },
    decided_at: decided_at == null ? null : timestamp(decided_at),
    approve_at: `${query.baseUrl}/account/approvals`,
    // The operations of a group have their answers only in the answer to that request.
    answer:
      outcome && "body" in outcome && !Array.isArray(outcome.body) ? (outcome.body as object | null) : null,
  };
};
