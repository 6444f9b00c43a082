import type { Commands, OutputOf } from "../../../shared/contracts/catalogue.ts";
import { isRefused } from "../../../shared/errors.ts";
import type { Steps } from "../steps.ts";
import type { ImportAction } from "./log.ts";

type Counts = OutputOf<Commands["import.continue"]>;

export type ImportWork = Readonly<{
  import_id: string;
  action: ImportAction;
  /** The numbers of the parts of each step. */
  steps: readonly (readonly number[])[];
  /** The things of the first transaction. */
  made: Counts;
}>;

/** The number of finished steps, and all things that the import has made. */
type Progress = Readonly<{ finished: number; made: Counts }>;

/** Each step makes the things of a few parts. */
export const importSteps: Steps = {
  async part({ cursor, input, perform }) {
    const { action, steps, made: first } = input as ImportWork;
    const { finished, made }: Progress = cursor === null ? { finished: 0, made: first } : JSON.parse(cursor);
    const step = finished + 1;
    const answer = await perform("import.continue", { ...action, step, parts: [...(steps[finished] ?? [])] });
    if (isRefused(answer)) throw new Error(`A step of an import was refused: ${answer.refusal.message}`);
    const sum = sumOf(made, answer);
    const done = thingsIn(answer) + (cursor === null ? thingsIn(first) : 0);
    if (step === steps.length) return { done, cursor: null, outcome: { body: sum } };
    return { done, cursor: JSON.stringify({ finished: step, made: sum } satisfies Progress) };
  },
  async left({ connection, userId, input }) {
    const { rows } = await connection.query<{ count: number }>(
      `select coalesce(sum(cardinality(keys)), 0)::int as count from import_parts
       where user_id = $1 and import_id = $2 and kind <> 'histories'`,
      [userId, (input as ImportWork).import_id],
    );
    return rows[0]?.count ?? 0;
  },
};

const thingsIn = ({ categories, habits, todos }: Counts): number => categories + habits + todos;

const sumOf = (one: Counts, other: Counts): Counts => ({
  categories: one.categories + other.categories,
  habits: one.habits + other.habits,
  completions: one.completions + other.completions,
  todos: one.todos + other.todos,
});
