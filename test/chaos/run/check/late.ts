import type { Evidence, Violation } from "../evidence.ts";
import { conclusionOf, describe, type Operation } from "../history.ts";

/** A row may have been dated by PostgreSQL's wrong clock this long before and after the disturbance. */
const marginMs = 5_000;

/**
 * What was answered "unknown" is done by then or never: the row of a creation is not younger than the answer.
 * Rows from the time when PostgreSQL's own clock is wrong are not checked.
 */
export function checkLate({ history, inflicted, todos }: Evidence): Violation[] {
  const rows = new Map(todos.map((row) => [row.description, row]));
  const wrongClock = inflicted.filter(({ fault }) => fault.kind === "clock" && fault.on === "postgres");
  return history.operations.flatMap((operation) => {
    const { action } = operation;
    if (action.kind !== "create todo" || conclusionOf(operation).verdict !== "unknown") return [];
    const row = rows.get(action.description);
    const lateMs = row ? row.created_at - answeredAt(operation) : 0;
    const at = answeredAt(operation);
    const inDoubt = wrongClock.some(({ from, to }) => at > from - marginMs && at < to + marginMs);
    if (lateMs <= 0 || inDoubt) return [];
    const sentence = `Todo ${row?.id} was made ${Math.round(lateMs)} ms after the answer to ${describe(operation)}.`;
    return [{ kind: "late" as const, sentence }];
  });
}

const answeredAt = ({ attempts }: Operation): number => Math.max(...attempts.map(({ to }) => to));
