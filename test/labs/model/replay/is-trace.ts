import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Trace } from "./traces.ts";

/**
 * Asks the checker for a run of the model with exactly these events.
 * @returns false if there is none
 */
export async function isTrace(trace: Trace): Promise<boolean> {
  const cwd = mkdtempSync(join(tmpdir(), "kept-trace-"));
  await Bun.write(join(cwd, "trace.pml"), listening(trace));
  await Bun.$`spin -a trace.pml`.cwd(cwd).quiet();
  await Bun.$`gcc -DSAFETY -DNOREDUCE -w -o pan pan.c`.cwd(cwd).quiet();
  const text = await Bun.$`./pan -n -w18`.cwd(cwd).nothrow().text();
  rmSync(cwd, { recursive: true });
  return text.includes("end state in claim reached");
}

/** The model with a place in the trace. Each event moves it on, or ends the run. At the end of the trace the claim breaks. */
const listening = ({ scenario, events }: Trace): string => `
#define ${scenario}
#define FAULTS 2
#define astray 255
#define isNext(name, n) (${events.map(nextAt).join(" || ")})
#define event(name, n) place = (isNext(name, n) -> place + 1 : astray)
byte place;
#include "${join(import.meta.dir, "..", "protocol.pml")}"
never {
  do
  :: place < ${events.length}
  :: place == ${events.length} -> break
  od
}
`;

function nextAt(event: string, place: number): string {
  const [name, number] = event.split(" ");
  return `(place == ${place} && name == ${name} && n == ${number})`;
}
