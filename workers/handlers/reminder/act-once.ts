import type { ReminderDeliveryRow } from "../../../shared/db/entities.ts";
import type { Offer } from "../../../shared/domain/reminder/link.ts";
import { alreadySo, isRefused, type Refused } from "../../../shared/errors.ts";
import type { HandlerContext } from "../handler.ts";

/**
 * The delivery remembers the use of its links, so each works once, also after the reply to its first use is
 * forgotten.
 */
export function actOnce<Answer extends object>(
  { deliveries }: HandlerContext,
  delivery: ReminderDeliveryRow,
  act: Offer["act"],
  run: () => Answer | Refused,
): Answer | Refused {
  const used = delivery.used_acts.split(",").filter((one) => one !== "");
  if (used.includes(act)) return alreadySo("This link was used already.");
  const answer = run();
  if (!isRefused(answer)) deliveries.update(delivery, { used_acts: [...used, act].join() });
  return answer;
}
