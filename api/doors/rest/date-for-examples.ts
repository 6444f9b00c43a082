import { hasExampleDate } from "../../../shared/domain/day/example-dates.ts";
import { isRefused } from "../../../shared/errors.ts";
import type { Outcome } from "../../../shared/queue/batch.ts";
import type { Actor } from "../../mailbox/actor.ts";
import type { PerformContext } from "../../perform.ts";
import { readDaySettings } from "../../queries/engine/context.ts";

/** A refusal is held up no longer than this for the user's day. */
const usersDayMs = 100;

/**
 * The user's date, for the examples in refusals.
 * @returns undefined when no refusal shows a date, or the database does not say soon which it is
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
