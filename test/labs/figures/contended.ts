import type { Figure, Row } from "./figure.ts";
import { refused, type Sample, sample, tally, times } from "./samples.ts";
import { onStage, type Stage } from "./stage.ts";

const settings = [
  { users: 1, todos: 20 },
  { users: 20, todos: 1 },
  { users: 20, todos: 4 },
];

/** Two doors that change the same rows at the same moment, like an agent and a page. */
export const contended: Figure = () =>
  onStage({ apis: 2, workers: 2 }, async (stage) => {
    const rows: Row[] = [];
    for (const { users, todos } of settings) {
      const samples = await contend(stage, users, todos, 15);
      rows.push({
        figure: `contended rows, two doors and two workers, ${users} × ${todos}`,
        goal: "0 refusals",
        measured: `${tally(samples)}; ${times(samples)}`,
        ok: !samples.some(refused),
      });
    }
    return rows;
  });

/** Both doors set each todo to the same state at once, all todos together, this many times. */
export async function contend(stage: Stage, users: number, todos: number, rounds: number): Promise<Sample[]> {
  const { call } = stage;
  const owned: { user: string; path: string }[] = [];
  for (let n = 0; n < users * todos; n++) {
    const user = `contender ${n % users}`;
    const { body } = await call(user, "POST", "/todos", { body: { title: "Contended" } });
    owned.push({ user, path: `/todos/${body.id}/toggle` });
  }
  const samples: Sample[] = [];
  for (let round = 0; round < rounds; round++) {
    const body = { is_completed: round % 2 === 0 };
    const calls = owned.flatMap(({ user, path }) =>
      [0, 1].map((door) => sample(() => call(user, "POST", path, { door, body }))),
    );
    samples.push(...(await Promise.all(calls)));
    await Bun.sleep(30);
  }
  return samples;
}
