import type { Evidence, Violation } from "../evidence.ts";
import { conclusionOf, describe, isSettled, type Operation } from "../history.ts";

/** No disturbance excuses an unpromised answer, or two outcomes of one operation. */
export function checkAnswers({ history, doubleReplies }: Evidence): Violation[] {
  const wrong = history.operations.flatMap((operation): Violation[] => {
    const told = operation.attempts.map(({ answer }) => answer);
    const done = told.flatMap((one) => (one.verdict === "done" ? [JSON.stringify(one.resource)] : []));
    const what = describe(operation);
    return [
      ...say(new Set(done).size > 1, "repeat", `Different outcomes of ${what}.`),
      ...say(
        told.some(({ verdict }) => verdict === "wrong"),
        "answer",
        `No promised answer: ${what}.`,
      ),
      ...say(
        operation.key !== undefined && !isSettled(operation),
        "in vain",
        `Repeated for half a minute in vain: ${what}.`,
      ),
    ];
  });
  return [
    ...wrong,
    ...say(doubleReplies > 0, "repeat", `The inbox has several replies to ${doubleReplies} commands.`),
  ];
}

/** The violation, if there is one. */
export const say = (isSo: boolean, kind: Violation["kind"], sentence: string): Violation[] =>
  isSo ? [{ kind, sentence }] : [];

type Row = Readonly<{ id: number }>;

/**
 * A creation that was refused or answered with "no" must not exist. Any other exists at most once, with the id of its
 * answer. The check of the sequences finds whether an acknowledged one exists as its client left it.
 */
export function checkCreations(evidence: Evidence): Violation[] {
  const rowsOf = indexRows(evidence);
  return evidence.history.operations.flatMap((operation) => {
    const rows = rowsOf(operation);
    if (rows.length === 0) return [];
    const ids = rows.map(({ id }) => id).join(", ");
    const told = conclusionOf(operation);
    const what = describe(operation);
    if (rows.length > 1) return say(true, "doubled", `${rows.length} rows (ids ${ids}) stem from ${what}.`);
    if (told.verdict === "no")
      return say(true, "false no", `Row ${ids} is there although it was told "no": ${what}.`);
    if (told.verdict === "refused")
      return say(true, "refused but done", `Row ${ids} is there although refused: ${what}.`);
    const id = told.verdict === "done" ? told.resource.id : rows[0]?.id;
    return say(id !== rows[0]?.id, "doubled", `The id ${id} was told, the row has ${ids}: ${what}.`);
  });
}

/** The rows made by a creation, found by the fields that nobody changes. */
function indexRows({ todos, habits, categories }: Evidence): (operation: Operation) => readonly Row[] {
  const todosBy = Map.groupBy(todos, ({ description }) => description);
  const habitsBy = Map.groupBy(habits, ({ name }) => name);
  return (operation) => {
    const { action } = operation;
    if (action.kind === "create todo") return todosBy.get(action.description) ?? [];
    if (action.kind === "create habit") return habitsBy.get(action.name) ?? [];
    if (action.kind !== "create category") return [];
    const told = conclusionOf(operation);
    const toldId = told.verdict === "done" ? told.resource.id : undefined;
    return categories.filter(({ id, name }) => name === action.name || id === toldId);
  };
}
