import type { ApprovalRow } from "../../shared/db/entities.ts";
import { timestamp } from "../../shared/domain/day/day.ts";
import { conflict, invalid } from "../../shared/errors.ts";
import type { QueuedCommand } from "../../shared/queue/batch.ts";
import { keyedId } from "../../shared/queue/command-id.ts";
import type { QueuedGroup } from "../../shared/queue/group.ts";
import { allForUpdate, forUpdate, withoutLock } from "../unit-of-work/row-request.ts";
import { beginWork, type Handler, type HandlerContext, type StepContext, type Steps } from "./handler.ts";
import { newDelivery } from "./reminder.ts";

/** A request as it waits for approval: a command, or the operations of a group. */
export type AskedRequest = Pick<QueuedCommand, "name" | "input" | "acceptedAt" | "call"> &
  Readonly<{ group?: QueuedGroup }>;

/** A person gets at most one message within this time, however much agents ask. */
const everyMs = 5 * 60_000;

/** The message of the present five minutes and the next one, by ids that every worker derives. */
export function messagesFor({ userId, acceptedAt }: Pick<QueuedCommand, "userId" | "acceptedAt">) {
  const present = Math.floor(acceptedAt / everyMs);
  const id = (period: number) => keyedId(userId, `approvals ${period}`);
  return [
    { id: id(present), at: acceptedAt },
    { id: id(present + 1), at: (present + 1) * everyMs },
  ];
}

/** Tells the person at once, or if they were told a moment ago, in the next five minutes, if requests wait then. */
export function tellPerson({ deliveries, acceptedAt, now }: HandlerContext, userId: string): void {
  const isMade = ({ id }: { id: string }) => deliveries.isKnown(id);
  const [first, second] = messagesFor({ userId, acceptedAt });
  const message = first && isMade(first) ? second : first;
  if (!message || isMade(message)) return;
  const status = message.at > acceptedAt ? "retrying" : "queued";
  const what = { id: message.id, about: "approvals", status } as const;
  deliveries.upsert(newDelivery({ acceptedAt: message.at, now }, what));
}

/** The most tokens of one account that have rules. */
const mostRuled = 200;

/** Rules that ask for nothing and limit nothing are none. */
export const tokenSetRules: Handler<"token.set-rules"> = {
  idempotent: true,
  rows: ({ category_id }) => [allForUpdate("token_rules"), ...withoutLock("categories", category_id)],
  run({ tokenRules, categories, now }, { token_id, ...rules }) {
    const before = tokenRules.get(token_id);
    const { asks_deletions, category_id, ...limits } = rules;
    if (category_id !== null && category_id !== before?.category_id && !categories.get(category_id))
      return invalid({ category_id: ["The category_id field must be the id of one of your categories."] });
    if (!asks_deletions && category_id === null && Object.values(limits).every((limit) => limit === null)) {
      if (before) tokenRules.remove(token_id);
    } else if (before) tokenRules.update(before, { ...rules, updated_at: now });
    else if (tokenRules.all().length >= mostRuled)
      return conflict(`${mostRuled} tokens have rules, the most that can`, "take the rules of another away.");
    else {
      const unused = { used_on: null, changes_used: 0, deletions_used: 0 };
      tokenRules.insert({ token_id, ...rules, ...unused, created_at: now, updated_at: now });
    }
    return null;
  },
};

/** An approved request is carried out by steps, one each. The first is part of the decision. */
export const approvalDecide: Handler<"approval.decide"> = {
  rows: ({ approval_ids }) => approval_ids.map((id) => forUpdate("approvals", id)),
  run(context, { approval_ids, approve }) {
    const waiting = approval_ids.flatMap((id) => stillWaiting(context, id) ?? []);
    const end = approve ? { state: "approved" as const } : { state: "declined" as const, request: "" };
    // The act's place in the log, where each stands by the time at which it was accepted.
    const decided_at = new Date(context.acceptedAt).toISOString();
    for (const one of waiting) context.approvals.update(one, { ...end, decided_at });
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
  } satisfies Steps<Waiting>,
};

function stillWaiting({ approvals, acceptedAt }: HandlerContext, id: string): ApprovalRow | undefined {
  const approval = approvals.get(id);
  const isWaiting = approval?.state === "waiting" && Date.parse(timestamp(approval.expires_at)) > acceptedAt;
  return isWaiting ? approval : undefined;
}

const idsLeft = ({ cursor, input }: StepContext<Waiting>): string[] =>
  cursor === null ? input.ids : JSON.parse(cursor);

type Waiting = { ids: string[] };

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
