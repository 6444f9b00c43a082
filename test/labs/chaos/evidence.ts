import type { SQL } from "bun";
import type { Inflicted } from "./faults.ts";
import type { History } from "./history.ts";

export type TodoRow = Readonly<{
  id: number;
  title: string;
  description: string | null;
  is_completed: boolean;
  /** Epoch ms, by PostgreSQL's clock. */
  created_at: number;
}>;

export type HabitRow = Readonly<{ id: number; name: string; completions_count: number; completions: number }>;
export type CategoryRow = Readonly<{ id: number; name: string }>;
export type LogRow = Readonly<{ tool: string; arguments: string; outcome: string; replayed: boolean }>;

/** A change of a todo's title, by its row in the log. */
export type Renaming = Readonly<{ todo: number; before: string; after: string; accepted_at: number }>;

/** The answers that clients got, and the tables at the end. */
export type Evidence = Readonly<{
  history: History;
  inflicted: readonly Inflicted[];
  todos: readonly TodoRow[];
  habits: readonly HabitRow[];
  categories: readonly CategoryRow[];
  log: readonly LogRow[];
  renamings: readonly Renaming[];
  /** Commands with more than one reply in the inbox. */
  doubleReplies: number;
}>;

/** A broken promise, in a sentence. */
export type Violation = Readonly<{ kind: ViolationKind; sentence: string }>;

/** The lines of the report, by kind. */
export const violationKinds = {
  lost: "acknowledged and lost",
  doubled: "done twice",
  "false no": "told applied: no, and done",
  "refused but done": "refused, and done",
  log: "rows of the action log missing or too many",
  order: "own writes out of order",
  parity: "shared toggles miscounted",
  winner: "second winners of a habit's day",
  late: "done after they were given up",
  repeat: "repeats told something else",
  queue: "left in the queue",
  "in vain": "repeated for half a minute in vain",
  answer: "answers that were never promised",
  approval: "approved changes not done once, or others done",
} as const;
export type ViolationKind = keyof typeof violationKinds;

/** Reads every table that the checks use. */
export async function gather(sql: SQL, history: History, inflicted: readonly Inflicted[]): Promise<Evidence> {
  const todos: TodoRow[] = await sql`
    select id::float8, title, description, is_completed, extract(epoch from created_at)::float8 * 1000 as created_at
    from todos`;
  const habits: HabitRow[] = await sql`
    select h.id::float8, h.name, h.completions_count,
      (select count(*)::int from habit_completions c where c.user_id = h.user_id and c.habit_id = h.id) as completions
    from habits h`;
  const categories: CategoryRow[] = await sql`select id::float8, name from categories`;
  const log: LogRow[] = await sql`select tool, arguments, outcome, replayed from action_log`;
  const renamings: Renaming[] = await sql`
    select resource_id::float8 as todo, extract(epoch from called_at)::float8 * 1000 as accepted_at,
      before::json -> ('todos/' || resource_id) ->> 'title' as before,
      after::json -> ('todos/' || resource_id) ->> 'title' as after
    from action_log
    where tool = 'todo.update' and outcome = 'ok' and before is not null and after like '%Hurried%'`;
  const [inbox] = await sql`
    select count(*)::int as doubles
    from (select 1 from inbox group by user_id, command_id having count(*) > 1) doubled`;
  return { history, inflicted, todos, habits, categories, log, renamings, doubleReplies: inbox.doubles };
}
