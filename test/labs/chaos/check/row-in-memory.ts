import { type Action, type Conclusion, conclusionOf, type Operation } from "../history.ts";

/** The state of a row with one writer; null when it was deleted. */
export type State = Readonly<{ text: string; completed: boolean }> | null;

type Told = Readonly<{ state: State } | { refused: string }>;

/** @returns the states that a row may be in after these operations, or until the first answer that fits none */
export function follow(operations: readonly Operation[]): { states: State[]; wrong?: Operation } {
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

export const includes = (states: readonly State[], state: State): boolean =>
  distinct([...states, state]).length === states.length;
