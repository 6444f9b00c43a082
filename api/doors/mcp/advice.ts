import type { Refusal, ResourceName } from "../../../shared/errors.ts";

/** A refusal as one message that says what to do next. */
export function advise(refusal: Refusal): string {
  const { message, next } = refusal;
  const advice = adviceOn(refusal);
  if (advice === undefined) return message;
  const reason = next === undefined ? message : message.replace(` ${next}`, "");
  return `${reason.replace(/\.$/, "")}; ${advice}.`;
}

/** The tool that lists the ids of a resource, if there is one. */
const whereIdsAre: Readonly<Record<ResourceName, string | undefined>> = {
  Habit: "get-today-habits lists the ids of the habits due today",
  Todo: "get-pending-todos lists the ids of the incomplete todos",
  Category: undefined,
  Reminder: undefined,
  Approval: undefined,
  Webhook: undefined,
  Delivery: undefined,
};

/** @returns undefined when the message needs no advice */
function adviceOn({ code, ...refusal }: Refusal): string | undefined {
  const { next, isSoAlready, resource, applied, retryAfterSeconds = 1 } = refusal;
  if (code === "rate_limited") return `wait ${retryAfterSeconds} seconds and call again`;
  if (code === "overloaded")
    return applied === "unknown"
      ? `the change may have been made. Call again in ${retryAfterSeconds} s with the same idempotency_key. Without one, check first whether it was made`
      : `nothing was changed, so call again in ${retryAfterSeconds} s`;
  if (next !== undefined) return undefined;
  if (isSoAlready) return "nothing was changed and nothing needs to be done";
  if (code === "invalid") return "correct the arguments and call again";
  return resource && code === "not_found" ? whereIdsAre[resource] : undefined;
}
