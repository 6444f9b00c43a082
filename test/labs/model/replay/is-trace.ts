import { join } from "node:path";
import { inFolder } from "../../../support/folder.ts";
import type { Trace } from "./traces.ts";

/**
 * Asks the checker for a run of the model with exactly these events.
 * @returns false if there is none
 */
export const isTrace = (trace: Trace): Promise<boolean> =>
  inFolder("trace", async (cwd) => {
    await Bun.write(join(cwd, "trace.pml"), listening(trace));
    await Bun.$`spin -a trace.pml`.cwd(cwd).quiet();
    await Bun.$`gcc -DSAFETY -DNOREDUCE -w -o pan pan.c`.cwd(cwd).quiet();
    const text = await Bun.$`./pan -n -w18`.cwd(cwd).nothrow().text();
    return text.includes("end state in claim reached");
  });

/** The model with a place in the trace. Each event moves it on, or ends the run. At the end of the trace the claim breaks. */
function listening({ scenario, events }: Trace): string {
  const isNext = events.map((event, place) => {
    const [name, number] = event.split(" ");
    return `(place == ${place} && name == ${name} && n == ${number})`;
  });
  return `
#define ${scenario}
#define FAULTS 2
#define astray 255
#define event(name, n) place = (${isNext.join(" || ")} -> place + 1 : astray)
byte place;
#include "${join(import.meta.dir, "..", "protocol.pml")}"
never {
  do
  :: place < ${events.length}
  :: place == ${events.length} -> break
  od
}
`;
}
