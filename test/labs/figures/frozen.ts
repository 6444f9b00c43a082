import { pidsOf } from "../../support/chaos/roles.ts";
import type { Figure } from "./figure.ts";
import { keepCalling, type Sample, sample, succeeded, tally } from "./samples.ts";
import { onStage, type Stage } from "./stage.ts";

const graceMs = 4_000;
const users = 30;

/** One of two workers is stopped where it holds rows. */
export const frozen: Figure = () =>
  onStage({ apis: 2, workers: 2 }, async (stage) => {
    const { call } = stage;
    const paths: string[] = [];
    for (let n = 0; n < users; n++) {
      const { body } = await call(`user ${n}`, "POST", "/todos", { body: { title: "Own" } });
      paths.push(`/todos/${body.id}/toggle`);
    }
    const toggle = (n: number, body?: object) =>
      call(`user ${n}`, "POST", paths[n] ?? "", { door: n, body: body ?? {} });
    const stopLoad = keepCalling(users, 0, toggle);
    await Bun.sleep(500);
    const worker = await freezeInTransaction(stage);
    const frozenAt = performance.now();
    await stopLoad();
    await Bun.sleep(Math.max(0, graceMs - (performance.now() - frozenAt)));
    const samples: Sample[] = [];
    for (let round = 0; round < 8; round++) {
      const body = { is_completed: round % 2 === 0 };
      samples.push(...(await Promise.all(paths.map((_, n) => sample(() => toggle(n, body))))));
      await Bun.sleep(200);
    }
    process.kill(worker, "SIGCONT");
    return [
      {
        figure: "one worker frozen inside a transaction",
        goal: "after 4 s every write 2xx",
        measured: tally(samples),
        ok: samples.every(succeeded),
      },
    ];
  });

/**
 * Freezes a worker while PostgreSQL waits for it in the middle of a transaction.
 * @returns its process id
 */
async function freezeInTransaction({ sql }: Stage): Promise<number> {
  const [worker] = pidsOf("workers");
  if (worker === undefined) throw new Error("There is no worker.");
  for (let tries = 0; tries < 100; tries++) {
    process.kill(worker, "SIGSTOP");
    await Bun.sleep(60);
    const [waiting] = await sql`
      select 1 from pg_stat_activity
      where datname = current_database() and state = 'idle in transaction'
        and now() - state_change > interval '50 ms'`;
    if (waiting) return worker;
    process.kill(worker, "SIGCONT");
    await Bun.sleep(20 + tries);
  }
  throw new Error("The worker was never met inside a transaction.");
}
