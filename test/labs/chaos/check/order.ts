import type { Evidence, Renaming, Violation } from "../evidence.ts";
import { conclusionOf } from "../history.ts";

/** A door uses PostgreSQL's clock reading for this long. */
const marginMs = 10_000;

/**
 * Renamings of one todo by a client that does not await answers take effect in the order in which the door accepted
 * them. Each names the title that it replaced, which shows the order. Unacknowledged ones have none.
 */
export function checkOrder({ history, inflicted, renamings }: Evidence): Violation[] {
  const acknowledged = new Map(
    history.operations.flatMap((operation) => {
      const { action, attempts } = operation;
      const isDone = action.kind === "rename todo" && conclusionOf(operation).verdict === "done";
      return isDone ? [[action.title, attempts[0]?.from ?? 0] as const] : [];
    }),
  );
  const wrongClock = inflicted.filter(({ fault }) => fault.kind === "clock");
  const isDated = (title: string) => {
    const at = acknowledged.get(title) ?? 0;
    return !wrongClock.some(({ from, to }) => at > from - marginMs && at < to + marginMs);
  };
  const bursts = Map.groupBy(renamings, ({ after }) => after.split(" ")[1]);
  return [...bursts.values()].flatMap((burst) => {
    const done = inEffect(burst).filter(({ after }) => acknowledged.has(after) && isDated(after));
    return done.flatMap((one, index): Violation[] => {
      const before = done[index - 1];
      if (!before || before.accepted_at <= one.accepted_at) return [];
      const sentence = `Todo ${one.todo} was renamed to "${before.after}" before "${one.after}", which the door accepted earlier.`;
      return [{ kind: "order", sentence }];
    });
  });
}

/** Renamings in the order of their effects. */
function inEffect(burst: readonly Renaming[]): Renaming[] {
  const byReplaced = new Map(burst.map((one) => [one.before, one]));
  const made = new Set(burst.map(({ after }) => after));
  const ordered: Renaming[] = [];
  let next = burst.find(({ before }) => !made.has(before));
  while (next) {
    ordered.push(next);
    next = byReplaced.get(next.after);
  }
  return ordered;
}
