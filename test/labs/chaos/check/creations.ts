import type { Evidence, Violation } from "../evidence.ts";
import { conclusionOf, describe, type Operation } from "../history.ts";

type Row = Readonly<{ id: number }>;

/**
 * A creation that was refused or answered with "no" must not exist. Any other exists at most once, with the id of its
 * answer. The check of the sequences finds whether an acknowledged one exists as its client left it.
 */
export function checkCreations(evidence: Evidence): Violation[] {
  const rowsOf = indexRows(evidence);
  return evidence.history.operations.flatMap((operation) => {
    if (!operation.action.kind.startsWith("create")) return [];
    const wrong = judge(operation, rowsOf(operation));
    return wrong ? [wrong] : [];
  });
}

function judge(operation: Operation, rows: readonly Row[]): Violation | undefined {
  const conclusion = conclusionOf(operation);
  const what = describe(operation);
  const ids = rows.map(({ id }) => id).join(", ");
  if (rows.length > 1)
    return { kind: "doubled", sentence: `${rows.length} rows (ids ${ids}) stem from ${what}.` };
  const [row] = rows;
  if (!row) return undefined;
  if (conclusion.verdict === "no")
    return { kind: "false no", sentence: `Row ${ids} is there although it was told "no": ${what}.` };
  if (conclusion.verdict === "refused")
    return { kind: "refused but done", sentence: `Row ${ids} is there although refused: ${what}.` };
  if (conclusion.verdict !== "done" || row.id === conclusion.resource.id) return undefined;
  const told = conclusion.resource.id;
  return { kind: "doubled", sentence: `The id ${told} was told, the row has ${row.id}: ${what}.` };
}

/** The rows made by a creation, found by the fields that nobody changes. */
function indexRows({ todos, habits, categories }: Evidence): (operation: Operation) => readonly Row[] {
  const todosBy = Map.groupBy(todos, ({ description }) => description);
  const habitsBy = Map.groupBy(habits, ({ name }) => name);
  return (operation) => {
    const { action } = operation;
    if (action.kind === "create todo") return todosBy.get(action.description) ?? [];
    if (action.kind === "create habit") return habitsBy.get(action.name) ?? [];
    const conclusion = conclusionOf(operation);
    const told = conclusion.verdict === "done" ? conclusion.resource.id : undefined;
    return categories.filter(
      ({ id, name }) => action.kind === "create category" && (name === action.name || id === told),
    );
  };
}
