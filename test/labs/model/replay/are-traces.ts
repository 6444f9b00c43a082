import { join } from "node:path";
import { inFolder } from "../../../support/folder.ts";
import type { Trace } from "./traces.ts";

/**
 * Asks the checker for a run of the model with exactly the events of each trace, which are all of one scenario.
 * @returns for each trace, whether there is one
 */
export const areTraces = (traces: readonly Trace[]): Promise<boolean[]> =>
  inFolder("trace", async (cwd) => {
    await Bun.write(join(cwd, "trace.pml"), listening(traces));
    await Bun.$`spin -a trace.pml`.cwd(cwd).quiet();
    await Bun.$`gcc -DSAFETY -DNOREDUCE -w -o pan pan.c`.cwd(cwd).quiet();
    const isTrace = async ({ events: { length } }: Trace, which: number) => {
      const text = await Bun.$`WHICH=${which} LENGTH=${length} ./pan -n -w18`.cwd(cwd).nothrow().text();
      return text.includes("end state in claim reached");
    };
    return Promise.all(traces.map(isTrace));
  });

/** The model with a place in the trace. Each event moves it on, or ends the run. At the end of the trace the claim breaks. */
function listening(traces: readonly Trace[]): string {
  const isNext = traces.flatMap(({ events }, which) =>
    events.map((event, place) => {
      const [name, number] = event.split(" ");
      return `(which == ${which} && place == ${place} && name == ${name} && n == ${number})`;
    }),
  );
  return `
#define ${traces[0]?.scenario}
#define FAULTS 2
#define astray 255
#define event(name, n) place = (${isNext.join(" || ")} -> place + 1 : astray)
byte place, which, length;
#include "${join(import.meta.dir, "..", "protocol.pml")}"
never {
  c_code { now.which = atoi(getenv("WHICH")); now.length = atoi(getenv("LENGTH")); };
  do
  :: place < length
  :: place == length -> break
  od
}
`;
}
