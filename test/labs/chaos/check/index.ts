import type { Evidence, Violation } from "../evidence.ts";
import { conclusionOf, describe, type Operation } from "../history.ts";
import { checkAnswers, checkCreations, say } from "./answers.ts";
import { checkLate } from "./late.ts";
import { checkLog } from "./log.ts";
import { checkOrder } from "./order.ts";
import { checkSequences } from "./sequences.ts";

const checks = [
  ...[checkCreations, checkSequences, checkOrder, checkParity],
  ...[checkWinners, checkLog, checkLate, checkAnswers],
];

/** All faults of the tables, given the answers that clients got. */
export const check = (evidence: Evidence): Violation[] => checks.flatMap((one) => one(evidence));

/**
 * Flips of a shared todo answer true, false, true, … in their order. So as many answers are true as false, or one more
 * if the todo ends completed. Each "unknown" may stand for one; each "no" was not done. A door that lost the reply
 * reads the todo again, so where flips overlap, an answer may tell the state after another one: it may be either.
 */
function checkParity({ history, todos }: Evidence): Violation[] {
  return [...history.shared.todos].flatMap((id): Violation[] => {
    const flips = history.operations.filter(
      ({ action }) => action.kind === "toggle todo" && action.todo === id,
    );
    const row = todos.find((todo) => todo.id === id);
    if (!row) return say(true, "lost", `The shared todo ${id} is gone, and nobody deleted it.`);
    const sure = flips.filter((flip) => toldState(flip) !== undefined && !mayTellLaterState(flip, flips));
    const completed = sure.filter((flip) => toldState(flip)).length;
    const reopened = sure.length - completed;
    const refused = flips.filter((flip) => ["no", "refused"].includes(conclusionOf(flip).verdict));
    const open = flips.length - sure.length - refused.length;
    const surplus = Math.abs(completed - reopened - (row.is_completed ? 1 : 0));
    const sentence = [
      `Of the flips of shared todo ${id}, ${completed} were told "completed" and ${reopened} "reopened",`,
      `and it ends ${row.is_completed ? "completed" : "not completed"}: ${surplus} flips too many or too few,`,
      `where only ${open} are in doubt. Not done: ${refused.slice(-3).map(describe).join("; ")}.`,
    ].join(" ");
    return say(surplus > open, "parity", sentence);
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

/** One completion of a habit on a day is acknowledged, and all others are refused as duplicates. */
function checkWinners({ history, habits }: Evidence): Violation[] {
  const gone = [...history.shared.habits].filter((id) => !habits.some((habit) => habit.id === id));
  const contested = habits.flatMap(({ id, completions, completions_count: count }): Violation[] => {
    const miscounted = `Habit ${id} counts ${count} completions and has ${completions}.`;
    const wrong = say(completions !== count, "winner", miscounted);
    if (!history.shared.habits.has(id)) return wrong;
    const tries = history.operations.filter(({ action }) => "habit" in action && action.habit === id);
    const told = (...verdicts: string[]) =>
      tries.filter((operation) => verdicts.includes(conclusionOf(operation).verdict));
    const [winners, beaten, open] = [told("done"), told("refused"), told("unknown", "unanswered")];
    const names = (all: readonly Operation[]) => all.slice(0, 9).map(describe).join("; ");
    const isDone = completions > 0;
    const isUnclaimed = isDone && winners.length === 0 && open.length === 0;
    return [
      ...wrong,
      ...say(winners.length > 1, "winner", `Habit ${id} was completed on one day by ${names(winners)}.`),
      ...say(winners.length > 0 && !isDone, "lost", `No completion is there of ${names(winners)}.`),
      ...say(
        beaten.length > 0 && !isDone,
        "winner",
        `Habit ${id} is not completed, though it was said to be: ${names(beaten)}.`,
      ),
      ...say(
        isUnclaimed,
        "false no",
        `Habit ${id} is completed, and all were told that it was not them: ${names(tries)}.`,
      ),
    ];
  });
  return [
    ...gone.flatMap((id) => say(true, "lost", `Habit ${id} is gone, and nobody deleted it.`)),
    ...contested,
  ];
}
