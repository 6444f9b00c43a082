import type { Evidence, Violation, ViolationKind } from "../evidence.ts";
import {
  type Action,
  type Conclusion,
  conclusionOf,
  describe,
  type History,
  isWrite,
  type Operation,
} from "../history.ts";
import { checkAnswers, checkCreations, say } from "./answers.ts";
import { checkLate } from "./late.ts";
import { checkLog } from "./log.ts";
import { checkOrder } from "./order.ts";

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

/**
 * A client that awaits each answer sees its own writes in order and nothing else. So the answers about a row with one
 * writer must be those of a row in memory. An "unknown" leaves two rows as candidates until an answer fits only
 * one; "no" and refusals change nothing.
 */
function checkSequences(evidence: Evidence): Violation[] {
  const found = currentStates(evidence);
  return singleWriterRows(evidence.history).flatMap(({ kind, id, operations }) => {
    const { states, wrong } = follow(operations);
    if (wrong) return [{ kind: blame("order", operations), sentence: contradiction(wrong, operations) }];
    const state = found(kind, id);
    if (includes(states, state)) return [];
    return [lastStateWrong(kind, id, state, states, operations)];
  });
}

type Creation = "create todo" | "create habit" | "create category";
type Row = Readonly<{ kind: Creation; id: number; operations: readonly Operation[] }>;

/** Every row whose creation was acknowledged, with all operations on it. */
function singleWriterRows({ operations, shared }: History): Row[] {
  const onRow = Map.groupBy(
    operations.filter(({ attempts }) => attempts.length > 0),
    ({ action }) => rowOf(action),
  );
  return operations.flatMap((creation) => {
    const kind = creation.action.kind;
    const conclusion = conclusionOf(creation);
    if (!isCreation(kind) || conclusion.verdict !== "done") return [];
    const id = conclusion.resource.id ?? 0;
    if (kind === "create todo" ? shared.todos.has(id) : kind === "create habit" && shared.habits.has(id))
      return [];
    return [{ kind, id, operations: [creation, ...(onRow.get(`${kind} ${id}`) ?? [])] }];
  });
}

const isCreation = (kind: Action["kind"]): kind is Creation => kind.startsWith("create");

/** The row of an action, named by the operation that made it. */
function rowOf(action: Action): string | undefined {
  if ("todo" in action) return `create todo ${action.todo}`;
  if ("habit" in action) return `create habit ${action.habit}`;
  if (action.kind === "rename category" || action.kind === "delete category")
    return `create category ${action.category}`;
  return undefined;
}

function currentStates({ todos, habits, categories }: Evidence): (kind: Creation, id: number) => State {
  const found = new Map<string, State>();
  for (const { id, title, is_completed } of todos)
    found.set(`create todo ${id}`, { text: title, completed: is_completed });
  for (const { id, name, completions } of habits)
    found.set(`create habit ${id}`, { text: name, completed: completions === 1 });
  for (const { id, name } of categories) found.set(`create category ${id}`, { text: name, completed: false });
  return (kind, id) => found.get(`${kind} ${id}`) ?? null;
}

const inWords = (state: State): string =>
  state === null ? "gone" : `"${state.text}", ${state.completed ? "completed" : "not completed"}`;

function contradiction(wrong: Operation, operations: readonly Operation[]): string {
  const before = operations.filter(({ number }) => number < wrong.number);
  const told = conclusionOf(wrong);
  const saw = told.verdict === "done" ? JSON.stringify(told.resource) : JSON.stringify(told);
  const { states } = follow(before);
  return [
    `${describe(wrong)} was told ${saw}, but the row was ${states.map(inWords).join(", or ")}`,
    `after ${before.slice(-3).map(describe).join("; ")}.`,
  ].join(" ");
}

/** The promise that the last state breaks, by the answer to the last operation. */
function lastStateWrong(
  kind: Creation,
  id: number,
  state: State,
  states: readonly State[],
  operations: readonly Operation[],
): Violation {
  const writer = operations.find(({ action }) => state !== null && textOf(action) === state.text);
  const verdict = writer && conclusionOf(writer).verdict;
  const sentence = [
    `The ${kind.slice("create ".length)} ${id} is ${inWords(state)}, but must be ${states.map(inWords).join(", or ")}`,
    `after ${operations.slice(-3).map(describe).join("; ")}.`,
    writer ? `What is there stems from ${describe(writer)}.` : "",
  ].join(" ");
  if (verdict === "no") return { kind: "false no", sentence };
  if (verdict === "refused") return { kind: "refused but done", sentence };
  return { kind: blame(state === null || verdict === "done" ? "lost" : "order", operations), sentence };
}

/** If an operation is in doubt, the effect that came after its answer is to blame. */
function blame(otherwise: ViolationKind, operations: readonly Operation[]): ViolationKind {
  const doubted = operations.some((one) => isWrite(one) && conclusionOf(one).verdict === "unknown");
  return doubted ? "late" : otherwise;
}

const textOf = (action: Action): string | undefined =>
  "title" in action ? action.title : "name" in action ? action.name : undefined;

/** The state of a row with one writer; null when it was deleted. */
type State = Readonly<{ text: string; completed: boolean }> | null;

type Told = Readonly<{ state: State } | { refused: string }>;

/** @returns the states that a row may be in after these operations, or until the first answer that fits none */
function follow(operations: readonly Operation[]): { states: State[]; wrong?: Operation } {
  let states: State[] = [null];
  for (const operation of operations) {
    const conclusion = conclusionOf(operation);
    const { verdict } = conclusion;
    if (verdict === "no") continue;
    const steps = states.map((state) => step(state, operation.action));
    if (verdict === "done" || verdict === "refused") {
      const fitting = steps.filter(({ told }) => fits(told, conclusion, operation.action));
      if (fitting.length === 0) return { states, wrong: operation };
      states = distinct(fitting.map(({ next }) => next));
    } else states = distinct([...states, ...steps.map(({ next }) => next)]);
  }
  return { states };
}

/** The effect of an action on a row in memory, and its answer. */
function step(state: State, action: Action): { next: State; told: Told } {
  const becomes = (next: State) => ({ next, told: { state: next } });
  const refused = (code: string) => ({ next: state, told: { refused: code } });
  if (action.kind === "create todo") return becomes({ text: action.title, completed: false });
  if (action.kind === "create habit" || action.kind === "create category")
    return becomes({ text: action.name, completed: false });
  if (action.kind === "rename todo" && action.category !== undefined) return refused("invalid");
  if (state === null) return refused("not_found");
  switch (action.kind) {
    case "rename todo":
      return becomes({ ...state, text: action.title });
    case "rename category":
      return becomes({ ...state, text: action.name });
    case "toggle todo":
      return becomes({ ...state, completed: action.wanted ?? !state.completed });
    case "complete habit":
      return state.completed ? refused("conflict") : becomes({ ...state, completed: true });
    case "undo habit":
      return state.completed ? becomes({ ...state, completed: false }) : refused("conflict");
    case "delete todo":
    case "delete category":
      return becomes(null);
    default:
      return becomes(state);
  }
}

function fits(told: Told, conclusion: Conclusion, { kind }: Action): boolean {
  if ("refused" in told) return conclusion.verdict === "refused" && conclusion.code === told.refused;
  if (conclusion.verdict !== "done") return false;
  if (told.state === null) return true;
  const { title, name, is_completed, is_completed_today } = conclusion.resource;
  if ((title ?? name) !== told.state.text) return false;
  return (
    kind.endsWith("category") ||
    (kind.endsWith("habit") ? is_completed_today : is_completed) === told.state.completed
  );
}

const distinct = (states: readonly State[]): State[] => [
  ...new Map(states.map((state) => [JSON.stringify(state), state])).values(),
];

const includes = (states: readonly State[], state: State): boolean =>
  distinct([...states, state]).length === states.length;
