import type { Evidence, Violation } from "../evidence.ts";
import { conclusionOf, describe, type Operation } from "../history.ts";

/**
 * Flips of a shared todo answer true, false, true, … in their order. So as many answers are true as false, or one more
 * if the todo ends completed. Each "unknown" may stand for one; each "no" was not done.
 */
export function checkParity({ history, todos }: Evidence): Violation[] {
  return [...history.shared.todos].flatMap((id): Violation[] => {
    const flips = history.operations.filter(
      ({ action }) => action.kind === "toggle todo" && action.todo === id,
    );
    const row = todos.find((todo) => todo.id === id);
    if (!row) return [{ kind: "lost", sentence: `The shared todo ${id} is gone, and nobody deleted it.` }];
    const completed = flips.filter((flip) => toldState(flip) === true).length;
    const reopened = flips.filter((flip) => toldState(flip) === false).length;
    const open = flips.filter((flip) => ["unknown", "unanswered"].includes(conclusionOf(flip).verdict));
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

function toldState(flip: Operation): boolean | undefined {
  const conclusion = conclusionOf(flip);
  return conclusion.verdict === "done" ? conclusion.resource.is_completed : undefined;
}
