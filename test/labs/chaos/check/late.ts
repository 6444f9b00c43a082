import type { Evidence, Violation } from "../evidence.ts";
import { conclusionOf, describe, type Operation } from "../history.ts";

/** The precision of the times at which a clock was set wrong and right. */
const marginMs = 500;

/**
 * An operation answered "unknown" is done by then or never: the row of a creation is not younger than the answer. A
 * row that may have been written while PostgreSQL's clock was wrong passes.
 */
export function checkLate({ history, inflicted, todos }: Evidence): Violation[] {
  const rows = new Map(todos.map((row) => [row.description, row]));
  const wrongClocks = inflicted.flatMap(({ fault, from, to }) =>
    fault.kind === "clock" && fault.on === "postgres" ? [{ from, to, offMs: fault.seconds * 1_000 }] : [],
  );
  /** The earliest moment, not before the operation, that a time of PostgreSQL's may stand for. */
  const writtenAt = (time: number, { attempts }: Operation): number => {
    const during = ({ from, to }: { from: number; to: number }, moment: number, margin: number) =>
      moment > from - margin && moment < to + margin;
    const meant = wrongClocks
      .filter((clock) => during(clock, time - clock.offMs, marginMs))
      .map(({ offMs }) => time - offMs);
    const wasRight = !wrongClocks.some((clock) => during(clock, time, -marginMs));
    const begunAt = Math.min(...attempts.map(({ from }) => from));
    const possible = [...meant, ...(wasRight ? [time] : [])].filter((moment) => moment > begunAt - marginMs);
    return possible.length > 0 ? Math.min(...possible) : time;
  };
  return history.operations.flatMap((operation) => {
    const { action } = operation;
    if (action.kind !== "create todo" || conclusionOf(operation).verdict !== "unknown") return [];
    const row = rows.get(action.description);
    const lateMs = row ? writtenAt(row.created_at, operation) - answeredAt(operation) : 0;
    if (lateMs <= 0) return [];
    const sentence = `Todo ${row?.id} was made ${Math.round(lateMs)} ms after the answer to ${describe(operation)}.`;
    return [{ kind: "late" as const, sentence }];
  });
}

const answeredAt = ({ attempts }: Operation): number => Math.max(...attempts.map(({ to }) => to));
