import { join } from "node:path";
import { requestText } from "../../../support/raw.ts";
import { measure } from "../../bench/load/measure.ts";
import type { Figure, Row } from "../figure.ts";
import { onStage, type Stage } from "../stage.ts";
import type { Offered, OpenLoad } from "./open-loop.ts";

const users = 500;

/**
 * Sends three times the load that can be carried, from many users. Making the load and refusing the rest need
 * processor time, too. So the same load also goes to a bare server that only refuses: the processor time that is
 * left then limits the writes.
 */
export const overload: Figure = () =>
  onStage({ apis: 1, workers: 1 }, async (stage) => {
    const port = Number(new URL(stage.baseUrls[0] ?? "").port);
    const requests = await createRequests(stage);
    const carriedOver = async (connections: number): Promise<number> => {
      const sequences = requests.map((request) => [request]);
      const { statuses } = await measure({ port, connections, warmUpSeconds: 2, seconds: 3, sequences });
      return (statuses["201"] ?? 0) / 3;
    };
    let best = 0;
    for (const connections of [50, 100, 200, 400]) best = Math.max(best, await carriedOver(connections));
    const load = { warmUpSeconds: 2, seconds: 5, connections: 5_000, requests };
    const bare = await startBare();
    const refusing = offer({ ...load, port: bare.port, perSecond: 2 * best });
    await Bun.sleep(2_000);
    const limit = await carriedOver(400);
    const bareRefusals = await refusing;
    bare.stop();
    const offered = await offer({ ...load, port, perSecond: 3 * best });
    return [goodputRow(best, limit, offered), refusalRow(offered, bareRefusals)];
  });

function goodputRow(best: number, limit: number, offered: Offered): Row {
  const perSecond = (rate: number) => `${rate.toFixed(0)}/s`;
  const percent = (share: number) => `${(100 * share).toFixed(0)} %`;
  return {
    figure: "three times the load that can be carried: goodput",
    goal: "≥ 85 % of what is carried beside a bare server that refuses the rest",
    measured:
      `${percent(offered.carried / limit)} (${perSecond(offered.carried)} of ${perSecond(limit)}; ` +
      `${percent(offered.carried / best)} of the best without a crowd, ${perSecond(best)}; ` +
      `offered ${perSecond(offered.sent + offered.unsent)}, ${perSecond(offered.unsent)} without a free connection; ` +
      `p99 ${offered.carriedP99.toFixed(0)} ms)`,
    ok: offered.carried >= 0.85 * limit,
  };
}

const refusalRow = ({ refused, refusedP99, other, lagP99 }: Offered, bare: Offered): Row => ({
  figure: "three times the load that can be carried: refusals",
  goal: "within 50 ms (p99), or as soon as the bare server's",
  measured:
    `p99 ${refusedP99.toFixed(0)} ms of ${refused.toFixed(0)}/s, ${other.toFixed(0)}/s neither carried nor 503; ` +
    `the bare server: ${bare.refusedP99.toFixed(0)} ms; the generator itself late by ${lagP99.toFixed(0)} ms`,
  ok: refusedP99 <= Math.max(50, bare.refusedP99) && refused > 0 && other === 0,
});

async function startBare(): Promise<{ port: number; stop(): void }> {
  const port = Promise.withResolvers<number>();
  const script = join(import.meta.dir, "bare-refusals.ts");
  const server = Bun.spawn([process.execPath, script], { ipc: (message: number) => port.resolve(message) });
  return { port: await port.promise, stop: () => server.kill() };
}

const createRequests = ({ tokenOf }: Stage): Promise<string[]> =>
  Promise.all(
    Array.from({ length: users }, async (_, n) => {
      const token = await tokenOf(`user ${n}`);
      const body = { title: "Water the plants", due_date: "2026-12-01", time_of_day: "morning" };
      return requestText({ method: "POST", path: "/api/v1/todos", token, body });
    }),
  );

/** The load comes from a process of its own, as in the bench. */
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
