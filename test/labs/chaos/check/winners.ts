import type { Evidence, Violation } from "../evidence.ts";
import { conclusionOf, describe } from "../history.ts";

/** One completion of a habit on a day is acknowledged, and all others are refused as duplicates. */
export function checkWinners({ history, habits }: Evidence): Violation[] {
  const wrong: Violation[] = [];
  const say = (sentence: string) => wrong.push({ kind: "winner", sentence });
  for (const id of history.shared.habits)
    if (!habits.some((habit) => habit.id === id))
      wrong.push({ kind: "lost", sentence: `Habit ${id} is gone, and nobody deleted it.` });
  for (const { id, completions, completions_count } of habits) {
    if (completions !== completions_count)
      say(`Habit ${id} counts ${completions_count} completions and has ${completions}.`);
    if (!history.shared.habits.has(id)) continue;
    const tries = history.operations.filter(({ action }) => "habit" in action && action.habit === id);
    const told = (verdict: string) =>
      tries.filter((operation) => conclusionOf(operation).verdict === verdict);
    const [winners, beaten] = [told("done"), told("refused")];
    const open = [...told("unknown"), ...told("unanswered")];
    if (winners.length > 1)
      say(`Habit ${id} was completed on one day by all of ${winners.map(describe).join("; ")}.`);
    if (winners.length > 0 && completions === 0)
      wrong.push({
        kind: "lost",
        sentence: `No completion is there of ${winners.map(describe).join("; ")}.`,
      });
    if (completions === 0 && beaten.length > 0)
      say(
        `Habit ${id} is not completed, though it was said to be: ${beaten.slice(0, 3).map(describe).join("; ")}.`,
      );
    if (completions > 0 && winners.length === 0 && open.length === 0)
      wrong.push({
        kind: "false no",
        sentence: `Habit ${id} is completed, and all were told that it was not them: ${tries.map(describe).join("; ")}.`,
      });
  }
  return wrong;
}
