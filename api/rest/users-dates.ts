import type { Actor } from "../../shared/actor.ts";
import { hasExampleDate, withPresentExamples } from "../../shared/domain/example-dates.ts";
import { isRefused } from "../../shared/errors.ts";
import type { Outcome } from "../../shared/queue/batch.ts";
import type { PerformContext } from "../perform.ts";
import { readDaySettings } from "../queries/context.ts";

/** A refusal is held up no longer than this for the user's day. */
const usersDayMs = 100;

/** Makes examples of dates in refusals fit the user's day, where the database says soon which it is. */
export async function withUsersDates(
  { query }: Pick<PerformContext, "query">,
  actor: Pick<Actor, "userId">,
  outcomes: readonly Outcome[],
): Promise<readonly Outcome[]> {
  if (!outcomes.some((outcome) => isRefused(outcome) && hasExampleDate(outcome.refusal))) return outcomes;
  const known = readDaySettings(query(actor)).then(
    (settings) => settings.today.date,
    () => undefined,
  );
  const today = await Promise.race([known, Bun.sleep(usersDayMs).then(() => undefined)]);
  if (today === undefined) return outcomes;
  return outcomes.map((outcome) =>
    isRefused(outcome) ? { refusal: withPresentExamples(outcome.refusal, today) } : outcome,
  );
}
