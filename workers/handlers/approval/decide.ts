import type { ApprovalRow } from "../../../shared/db/entities.ts";
import { timestamp } from "../../../shared/domain/day/day.ts";
import { forUpdate } from "../../unit-of-work/row-request.ts";
import { beginWork } from "../begin-work.ts";
import type { Handler, HandlerContext } from "../handler.ts";
import type { StepContext } from "../steps.ts";

/** An approved request is carried out by steps, one each. The first is part of the decision. */
export const approvalDecide: Handler<"approval.decide"> = {
  rows: ({ approval_ids }) => approval_ids.map((id) => forUpdate("approvals", id)),
  run(context, { approval_ids, approve }) {
    const waiting = approval_ids.flatMap((id) => stillWaiting(context, id) ?? []);
    const end = approve ? { state: "approved" as const } : { state: "declined" as const, request: "" };
    for (const one of waiting) context.approvals.update(one, { ...end, decided_at: context.now });
    const isWork = approve && waiting.length > 0;
    const work = isWork ? beginWork(context, "approval.decide", { ids: waiting.map(({ id }) => id) }) : null;
    return { decided: waiting.length, work_id: work };
  },
  steps: {
    async part(context) {
      const [next, ...others] = idsLeft(context);
      const approval = next === undefined ? undefined : await approved(context, next);
      if (approval) await end(context, approval);
      return { done: 1, cursor: others.length === 0 ? null : JSON.stringify(others) };
    },
    left: async (context) => idsLeft(context).length,
  },
};

function stillWaiting({ approvals, acceptedAt }: HandlerContext, id: string): ApprovalRow | undefined {
  const approval = approvals.get(id);
  const isWaiting = approval?.state === "waiting" && Date.parse(timestamp(approval.expires_at)) > acceptedAt;
  return isWaiting ? approval : undefined;
}

const idsLeft = ({ cursor, input }: StepContext): string[] =>
  cursor === null ? (input as { ids: string[] }).ids : JSON.parse(cursor);

async function approved({ connection, userId }: StepContext, id: string): Promise<ApprovalRow | undefined> {
  const { rows } = await connection.query<ApprovalRow>(
    "select * from approvals where user_id = $1 and id = $2 and state = 'approved' for update",
    [userId, id],
  );
  return rows[0];
}

async function end({ connection, userId, carryOut }: StepContext, approval: ApprovalRow): Promise<void> {
  const outcome = await carryOut(approval);
  await connection.query(
    `update approvals set state = $3, outcome = $4, request = ''
     where user_id = $1 and id = $2`,
    [userId, approval.id, outcome ? "done" : "outdated", outcome && JSON.stringify(outcome)],
  );
}
