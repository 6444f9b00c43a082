import type { Refusal, ResourceName } from "../../shared/errors.ts";

/**
 * A refusal as one sentence that says what to do next: once, so nothing is added to a message that says it itself, after
 * a semicolon of our own, outside of the names that it quotes.
 */
export function advise(refusal: Refusal): string {
  if (refusal.message.replace(/".*"/s, "").includes("; ")) return refusal.message;
  const reason = refusal.message.replace(/\.( Please try again\.)?$/, "");
  const advice = nextStep(refusal);
  return advice === undefined ? refusal.message : `${reason}; ${advice}.`;
}

/** Which tool lists the ids of a resource, where one does. */
const whereIdsAre: Readonly<Record<ResourceName, string | undefined>> = {
  Habit: "get-today-habits lists the ids of the habits due today",
  Todo: "get-pending-todos lists the ids of the incomplete todos",
  Category: undefined,
  Reminder: undefined,
};

/** @returns undefined when there is nothing to add to the message */
function nextStep({ code, resource, applied, retryAfterSeconds = 1 }: Refusal): string | undefined {
  switch (code) {
    case "not_found":
      return resource && whereIdsAre[resource];
    case "conflict":
      return "nothing was changed and nothing needs to be done";
    case "invalid":
      return "correct the arguments and call again";
    case "rate_limited":
      return `wait ${retryAfterSeconds} seconds and call again`;
    case "overloaded":
      return applied === "unknown"
        ? `the change may have been made. Call again in ${retryAfterSeconds} s with the same idempotency_key. Without one, look whether it was made`
        : `nothing was changed, so call again in ${retryAfterSeconds} s`;
    default:
      return undefined;
  }
}
