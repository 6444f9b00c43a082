import { hasExampleDate } from "../../../shared/domain/day/day.ts";
import { isRefused } from "../../../shared/errors.ts";
import type { Outcome } from "../../../shared/queue/batch.ts";
import type { Actor } from "../../mailbox/actor.ts";
import type { PerformContext } from "../../perform.ts";
import { readTodaySoon } from "../../queries/engine/context.ts";

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
  return (await readTodaySoon(query(actor)))?.date;
}
