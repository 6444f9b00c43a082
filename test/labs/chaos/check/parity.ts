import type { Evidence, Violation } from "../evidence.ts";
import { conclusionOf, describe, type Operation } from "../history.ts";

/**
 * Flips of a shared todo answer true, false, true, … in their order. So as many answers are true as false, or one more
 * if the todo ends completed. Each "unknown" may stand for one; each "no" was not done. A door that lost the reply
 * reads the todo again, so where flips overlap, an answer may tell the state after another one: it may be either.
 */
export function checkParity({ history, todos }: Evidence): Violation[] {
  return [...history.shared.todos].flatMap((id): Violation[] => {
    const flips = history.operations.filter(
      ({ action }) => action.kind === "toggle todo" && action.todo === id,
    );
    const row = todos.find((todo) => todo.id === id);
    if (!row) return [{ kind: "lost", sentence: `The shared todo ${id} is gone, and nobody deleted it.` }];
    const told = flips.filter((flip) => !mayTellLaterState(flip, flips));
    const completed = told.filter((flip) => toldState(flip) === true).length;
    const reopened = told.filter((flip) => toldState(flip) === false).length;
    const open = flips.filter(
      (flip) =>
        ["unknown", "unanswered"].includes(conclusionOf(flip).verdict) ||
        (toldState(flip) !== undefined && mayTellLaterState(flip, flips)),
    );
    const surplus = completed - reopened - (row.is_completed ? 1 : 0);
    if (Math.abs(surplus) <= open.length) return [];
    const refused = flips.filter((flip) => conclusionOf(flip).verdict === "no");
    const sentence = [
      `Of the flips of shared todo ${id}, ${completed} were told "completed" and ${reopened} "reopened",`,
      `and it ends ${row.is_completed ? "completed" : "not completed"}: ${Math.abs(surplus)} flips too many or too few,`,
      `where only ${open.length} are in doubt. ${refused.length} were told "no":`,
      `${refused.slice(-3).map(describe).join("; ")}.`,
    ].join(" ");
    return [{ kind: "parity", sentence }];
  });
}

/** Replies to requests with a key are stored, so only others are read again. */
const mayTellLaterState = (flip: Operation, flips: readonly Operation[]): boolean =>
  flip.key === undefined && flips.some((other) => other !== flip && overlap(flip, other));

const overlap = (one: Operation, other: Operation): boolean =>
  one.attempts.some(({ from, to }) =>
    other.attempts.some((attempt) => attempt.from <= to && from <= attempt.to),
  );

function toldState(flip: Operation): boolean | undefined {
  const conclusion = conclusionOf(flip);
  return conclusion.verdict === "done" ? conclusion.resource.is_completed : undefined;
}
