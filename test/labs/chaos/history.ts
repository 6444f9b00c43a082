/** The request of one operation. Its ids come from earlier answers. */
export type Action =
  | Readonly<{ kind: "create todo"; title: string; description: string; category?: number }>
  /** Alone, or as the only operation of a group. */
  | Readonly<{ kind: "rename todo"; todo: number; title: string; category?: number; grouped?: boolean }>
  /** The state to set; without it the todo is flipped. */
  | Readonly<{ kind: "toggle todo"; todo: number; wanted?: boolean }>
  | Readonly<{ kind: "delete todo" | "read todo"; todo: number }>
  | Readonly<{ kind: "list todos"; context: string }>
  | Readonly<{ kind: "create habit" | "create category"; name: string }>
  | Readonly<{ kind: "complete habit" | "undo habit" | "read habit"; habit: number }>
  | Readonly<{ kind: "rename category"; category: number; name: string }>
  | Readonly<{ kind: "delete category"; category: number }>;

/** The fields of an answered resource that the checks use. */
export type Resource = Readonly<{
  id?: number;
  title?: string;
  name?: string;
  is_completed?: boolean;
  is_completed_today?: boolean;
}>;

export type Answer =
  | Readonly<{ verdict: "done"; resource: Resource; replayed: boolean }>
  /** A 4xx, or the same refusal as an agent gets it. */
  | Readonly<{ verdict: "refused"; code: string }>
  /** A 503 with this `applied`. */
  | Readonly<{ verdict: "no" | "unknown" }>
  /** The connection broke, or nothing came for longer than anybody waits. */
  | Readonly<{ verdict: "unanswered"; reason: string }>
  /** An answer that no disturbance excuses. */
  | Readonly<{ verdict: "wrong"; told: string }>;

/** One request; times are epoch ms of this process, which nobody disturbs. */
export type Attempt = Readonly<{
  door: number;
  from: number;
  to: number;
  answer: Answer;
  /** The tool call; undefined when the request came over REST. */
  call?: ToolRequest | undefined;
}>;

export type ToolRequest = Readonly<{ tool: string; arguments: Readonly<Record<string, unknown>> }>;

/** An action with all attempts at it: several only under one idempotency key. */
export type Operation = Readonly<{
  number: number;
  client: number;
  user: number;
  action: Action;
  via: "rest" | "mcp";
  key?: string;
  attempts: Attempt[];
}>;

export type History = ReturnType<typeof createHistory>;

export function createHistory() {
  const operations: Operation[] = [];
  let acknowledged = 0;
  return {
    /** The number of writes acknowledged so far. */
    acknowledged: () => acknowledged,
    /** To be called when nothing more is tried for an operation. */
    end(operation: Operation): Conclusion {
      const conclusion = conclusionOf(operation);
      if (conclusion.verdict === "done" && isWrite(operation)) acknowledged += 1;
      return conclusion;
    },
    operations,
    begin(operation: Omit<Operation, "number" | "attempts">): Operation {
      const begun = { ...operation, number: operations.length, attempts: [] };
      operations.push(begun);
      return begun;
    },
    /** Todos and habits that all clients of a user write to; the others have one writer each. */
    shared: { todos: new Set<number>(), habits: new Set<number>() },
  };
}

export type Conclusion = Exclude<Answer, { verdict: "wrong" }>;

/** The conclusion that a client may draw from all answers to an operation. */
export function conclusionOf({ attempts }: Operation): Conclusion {
  const answers = attempts.map(({ answer }) => answer);
  const told = (verdict: Answer["verdict"]) => answers.find((answer) => answer.verdict === verdict);
  const final = told("done") ?? told("refused");
  if (final) return final as Conclusion;
  if (answers.length > 0 && answers.every(({ verdict }) => verdict === "no")) return { verdict: "no" };
  if (answers.length > 0 && answers.every(({ verdict }) => verdict === "no" || verdict === "unknown"))
    return { verdict: "unknown" };
  return { verdict: "unanswered", reason: "no attempt was answered" };
}

/** True if no further attempt can change the conclusion. */
export const isSettled = (operation: Operation): boolean =>
  ["done", "refused"].includes(conclusionOf(operation).verdict) ||
  operation.attempts.some(({ answer }) => answer.verdict === "wrong");

const reading = new Set<Action["kind"]>(["read todo", "list todos", "read habit"]);

export const isWriting = ({ kind }: Action): boolean => !reading.has(kind);

export const isWrite = ({ action }: Operation): boolean => isWriting(action);

/** An operation in a sentence, e.g. `operation 17 (client 3, toggle todo {"todo":5}, over rest, …)`. */
export function describe({ number, client, action: { kind, ...of }, via, key, attempts }: Operation): string {
  const answers = Map.groupBy(attempts, ({ answer, door }) => `${JSON.stringify(answer)} by door ${door}`);
  const counted = [...answers].map(([what, { length }]) => (length > 1 ? `${length} times ${what}` : what));
  const keyed = key === undefined ? "without a key" : "with a key";
  return `operation ${number} (client ${client}, ${kind} ${JSON.stringify(of)}, over ${via}, ${keyed}: ${counted.join(", then ")})`;
}
