import { hasExampleDate } from "../../../shared/domain/day/example-dates.ts";
import { isRefused } from "../../../shared/errors.ts";
import type { Outcome } from "../../../shared/queue/batch.ts";
import type { Actor } from "../../mailbox/actor.ts";
import type { PerformContext } from "../../perform.ts";
import { readDaySettings } from "../../queries/engine/context.ts";

/** A refusal waits no longer than this for the user's day. */
const usersDayMs = 100;

/**
 * The user's date, for examples in refusals.
 * @returns undefined if the refusal shows no date, or the date is not known soon
 */
export async function dateForExamples(
  { query }: Pick<PerformContext, "query">,
  actor: Pick<Actor, "userId">,
  outcomes: readonly Outcome[],
): Promise<string | undefined> {
  if (!outcomes.some((outcome) => isRefused(outcome) && hasExampleDate(outcome.refusal))) return undefined;
  const known = readDaySettings(query(actor)).then(
    (settings) => settings.today.date,
    () => undefined,
  );
  return Promise.race([known, Bun.sleep(usersDayMs).then(() => undefined)]);
}
