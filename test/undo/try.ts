import fc from "fast-check";
import { lives } from "./acts.ts";
import { inMemory } from "./in-memory.ts";
import { regretFaults } from "./regrets.ts";
import { type History, live } from "./world.ts";

const numRuns = Number(process.env.N ?? 200);
const seed = Number(process.env.SEED ?? 1);
let runs = 0;
const t = performance.now();
await fc
  .assert(
    fc.asyncProperty(lives(Number(process.env.MIN ?? 2), Number(process.env.MAX ?? 30)), async (life) => {
      runs++;
      const place = inMemory();
      const h: History = [];
      let faults: string[] = [];
      try {
        h.push(...(await live(place, life)));
        faults = await regretFaults(place, h, life.regret);
      } catch (e: any) {
        faults.push(String(e.cause?.stack ?? e.stack).slice(0, 600));
      }
      if (process.env.SHOW)
        for (const m of h)
          for (const d of m.done)
            console.log(
              m.who,
              d.request.name,
              JSON.stringify(d.request.input),
              JSON.stringify(d.outcome).slice(0, 900),
              "LOG",
              JSON.stringify(m.actions.map(({ before, after, arguments: a }) => ({ before, after, a }))),
            );
      if (faults.length) throw new Error(faults.join("\n"));
    }),
    {
      numRuns,
      seed,
      ...(process.env.P && { path: process.env.P, endOnFailure: true }),
      includeErrorInReport: true,
    },
  )
  .catch((e) => console.log(String(e.message).slice(0, 6000), e.cause?.stack?.slice(0, 3000)));
console.log(runs, (performance.now() - t) / runs, "ms a life");
