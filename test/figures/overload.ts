import { join } from "node:path";
import { measure } from "../bench/measure.ts";
import type { Figure } from "./figure.ts";
import type { Offered, OpenLoad } from "./open-loop.ts";
import { requestText } from "./raw.ts";
import { onStage, type Stage } from "./stage.ts";

const users = 500;

/** Three times the load that can be carried, from many users. */
export const overload: Figure = () =>
  onStage({ apis: 1, workers: 1 }, async (stage) => {
    const port = Number(new URL(stage.baseUrls[0] ?? "").port);
    const requests = await createRequests(stage);
    const sequences = requests.map((request) => [request]);
    let best = 0;
    for (const connections of [50, 100, 200, 400]) {
      const { statuses } = await measure({ port, connections, warmUpSeconds: 2, seconds: 3, sequences });
      best = Math.max(best, (statuses["201"] ?? 0) / 3);
    }
    const offered = await offer({
      port,
      perSecond: 3 * best,
      warmUpSeconds: 2,
      seconds: 5,
      connections: 5_000,
      requests,
    });
    const share = offered.carried / best;
    const rates = `best ${best.toFixed(0)}/s; offered ${(offered.sent + offered.unsent).toFixed(0)}/s`;
    return [
      {
        figure: "three times the load that can be carried: goodput",
        goal: "≥ 85 % of the best",
        measured:
          `${(100 * share).toFixed(0)} % (${rates}, ${offered.unsent.toFixed(0)} of them without a free connection, ` +
          `carried ${offered.carried.toFixed(0)}/s, p99 ${offered.carriedP99.toFixed(0)} ms)`,
        ok: share >= 0.85,
      },
      {
        figure: "three times the load that can be carried: refusals",
        goal: "within 50 ms (p99)",
        measured:
          `p99 ${offered.refusedP99.toFixed(0)} ms of ${offered.refused.toFixed(0)}/s, ` +
          `${offered.other.toFixed(0)}/s neither carried nor 503; the generator itself late by ${offered.lagP99.toFixed(0)} ms`,
        ok: offered.refusedP99 <= 50 && offered.refused > 0 && offered.other === 0,
      },
    ];
  });

const createRequests = ({ tokenOf }: Stage): Promise<string[]> =>
  Promise.all(
    Array.from({ length: users }, async (_, n) => {
      const token = await tokenOf(`user ${n}`);
      const body = { title: "Water the plants", due_date: "2026-12-01", time_of_day: "morning" };
      return requestText({ method: "POST", path: "/api/v1/todos", token, body });
    }),
  );

/** From a process of its own, as the bench's load. */
async function offer(load: OpenLoad): Promise<Offered> {
  const { promise, resolve, reject } = Promise.withResolvers<Offered>();
  const generator = Bun.spawn([process.execPath, join(import.meta.dir, "open-loop.ts")], {
    stdio: ["pipe", "inherit", "inherit"],
    ipc: (message: Offered) => resolve(message),
  });
  generator.exited.then((code) => reject(new Error(`The generator ended with exit code ${code}.`)));
  generator.stdin.write(JSON.stringify(load));
  generator.stdin.end();
  return promise;
}
