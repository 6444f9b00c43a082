import type { Row } from "./inputs.ts";
import { cascaded, differing, isTouched, type Touches, touchesOf } from "./touched.ts";
import type { Run } from "./undo-faults.ts";
import { type End, endsOf, type History, type Rows } from "./world.ts";

export type Outcome = Readonly<{
  history: History;
  run: Run;
  before: Rows;
  after: Rows;
  ends: readonly End[];
}>;

/** Actions of others between the first undone action and the undo. */
export function strangersIn({ history, run, before }: Outcome): readonly History[number][] {
  const end = history.findIndex((one, index) => index > run.since && one.before === before);
  const undone = history.findIndex((one, index) => index >= run.since && isUndoOf(one, run));
  return history.slice(run.since, end === -1 ? undone : end).filter((one) => !run.moments.has(one));
}

const isUndoOf = ({ done: [first] }: History[number], { actions }: Run): boolean =>
  first?.request.name === "action.undo" && (first.request.input.actions as object[])?.[0] === actions[0];

/** Checks that rows which nobody else touched are as before, and that nothing of anybody else is lost. */
export function restoredFaults(outcome: Outcome): string[] {
  const { history, run, before, after } = outcome;
  const strangers = strangersIn(outcome);
  const touches = withLeft(touchesOf(strangers), strangers);
  const start = history[run.since]?.before ?? before;
  const names = new Set([...start.keys(), ...before.keys(), ...after.keys()]);
  return [...names].flatMap((name) => {
    const [old, now] = [start.get(name), after.get(name)];
    if (!old && !now) return [];
    if (!now) return isRemovedByOthers(touches, name) ? [] : [`${name} did not come back`];
    if (!old)
      return isTouched(touches, name) || isInUse(outcome, touches, name) ? [] : [`${name} was not removed`];
    const isWrong = (column: string) =>
      !isTouched(touches, name, column) && !isExcused(outcome, touches, { name, column, old, now });
    const told = (row: Row, column: string) => JSON.stringify(row[column]);
    // A habit's history has everything that others did to it and its days.
    const isAlone = ![name, ...cascaded(before, name), ...cascaded(after, name)].some((one) =>
      isTouched(touches, one),
    );
    return differing(old, now, isAlone)
      .filter(isWrong)
      .map((column) => `${name}.${column} is ${told(now, column)} and was ${told(old, column)}`);
  });
}

/** A person who undid a part left the rest on purpose, so the rest is now theirs. */
export function withLeft(touches: Touches, strangers: readonly History[number][]): Touches {
  const all = new Map([...touches].map(([name, columns]) => [name, new Set(columns)]));
  const inPart = strangers.flatMap(endsOf).filter(({ undone }) => undone === "part");
  for (const { row, fields } of inPart.flatMap(({ conflicts }) => conflicts))
    if (row !== null)
      all.set(row, new Set([...(all.get(row) ?? []), ...(fields.length > 0 ? fields : ["*"])]));
  return all;
}

const isRemovedByOthers = (touches: Touches, name: string): boolean =>
  isTouched(touches, name) ||
  (/^(reminders|habit_completions)/.test(name) && isTouched(touches, parentOf(name)));

export const parentOf = (name: string): string =>
  `${name.startsWith("reminders") ? "todos" : "habits"}/${name.split("/")[1]}`;

/** The row stays because rows of others belong to it. */
const isInUse = ({ after, before }: Outcome, touches: Touches, name: string): boolean =>
  [...cascaded(after, name), ...cascaded(before, name)].some((other) => isTouched(touches, other)) ||
  (name.startsWith("categories") && cascaded(after, name).length > 0) ||
  (/^(reminders|habit_completions)/.test(name) &&
    after.has(parentOf(name)) &&
    isTouched(touches, parentOf(name)));

type Difference = Readonly<{ name: string; column: string; old: Row; now: Row }>;

function isExcused({ after }: Outcome, touches: Touches, { name, column, old, now }: Difference): boolean {
  if (column === "category_id")
    // A former category that somebody brought back has its members again.
    return (
      (old.category_id != null && !after.has(`categories/${old.category_id}`)) ||
      (old.category_id == null && now.category_id === old.former_category_id)
    );
  if (column === "next_todo_id") {
    const next = `todos/${now.next_todo_id}`;
    return after.has(next) && [next, ...cascaded(after, next)].some((row) => isTouched(touches, row));
  }
  if (!name.startsWith("reminders")) return false;
  // The undone action had set it anew, and it stays because of somebody else.
  if (column === "created_at") return isTouched(touches, name);
  if (column === "status") {
    const isWaiting = after.get(parentOf(name))?.is_completed === true;
    return (
      now.status === "missed" ||
      (isWaiting !== (old.status === "suspended") && now.status === (isWaiting ? "suspended" : "scheduled"))
    );
  }
  if (column === "delivery_id") return now.status === "scheduled";
  return column === "remind_at" && old.wall_time != null;
}
