import type { Evidence, Violation } from "../evidence.ts";
import { conclusionOf, describe, type Operation } from "../history.ts";

/** No disturbance excuses an unpromised answer, or two outcomes of one operation. */
export function checkAnswers({ history, doubleReplies }: Evidence): Violation[] {
  const wrong: Violation[] = history.operations.flatMap((operation) => {
    const told = operation.attempts.map(({ answer }) => answer);
    const done = told.flatMap((answer) =>
      answer.verdict === "done" ? [JSON.stringify(answer.resource)] : [],
    );
    const different = new Set(done).size > 1 ? [describe(operation)] : [];
    const odd = told.some(({ verdict }) => verdict === "wrong") ? [describe(operation)] : [];
    return [
      ...different.map((what): Violation => ({ kind: "repeat", sentence: `Different outcomes of ${what}.` })),
      ...odd.map((what): Violation => ({ kind: "answer", sentence: `No promised answer: ${what}.` })),
    ];
  });
  const unsettled = history.operations.filter(
    (operation) => operation.key !== undefined && !isSettled(operation),
  );
  for (const operation of unsettled)
    wrong.push({ kind: "in vain", sentence: `Repeated for half a minute in vain: ${describe(operation)}.` });
  if (doubleReplies > 0)
    wrong.push({ kind: "repeat", sentence: `The inbox has several replies to ${doubleReplies} commands.` });
  return wrong;
}

const isSettled = (operation: Operation): boolean =>
  ["done", "refused"].includes(conclusionOf(operation).verdict) ||
  operation.attempts.some(({ answer }) => answer.verdict === "wrong");
