import type { QueuedCommand } from "../../../shared/queue/batch.ts";
import { keyedId } from "../../../shared/queue/command-id.ts";
import type { HandlerContext } from "../handler.ts";
import { newDelivery } from "../reminder/new-delivery.ts";

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
  const what = {
    todo_id: null,
    habit_id: null,
    channel: null,
    scheduled_at: new Date(message.at).toISOString(),
  };
  const isLater = message.at > acceptedAt;
  deliveries.upsert({
    ...newDelivery({ acceptedAt: message.at, now }, what),
    ...{ id: message.id, about: "approvals", status: isLater ? "retrying" : "queued" },
  });
}
