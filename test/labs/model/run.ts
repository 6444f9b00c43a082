import { join } from "node:path";
import { inFolder } from "../../support/folder.ts";
import { runLab } from "../terminal.ts";
import { type Check, cleanChecks, controls, limits, properties } from "./checks.ts";

type Outcome = Readonly<{ found: string | undefined; states: number; isWhole: boolean }>;

/**
 * `npm run lab -- model [faults]`: checks every state of the protocol, and that each control is found. `faults` is the
 * number in a run, 1 if unset.
 */
async function checkModel(faults: number): Promise<boolean> {
  const missing = ["spin", "gcc"].filter((program) => !Bun.which(program));
  if (missing.length > 0) {
    console.log(`SKIPPED: the model needs ${missing.join(" and ")}.`);
    return true;
  }
  const began = performance.now();
  const all = Object.entries({ clean: cleanChecks(faults), control: controls, limit: limits });
  const waiting = all.flatMap(([kind, checks]) => checks.map((check) => ({ kind, check })));
  const count = waiting.length;
  let right = 0;
  const work = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const { kind, check } = next;
      if (isExpected(kind, check, await inFolder("model", (folder) => search(check, folder)))) right += 1;
    }
  };
  await Promise.all([work(), work()]);
  const seconds = ((performance.now() - began) / 1_000).toFixed(0);
  console.log(`${right} of ${count} as expected, in ${seconds} s`);
  return right === count;
}

/** @returns whether the check found what it must, which is printed */
function isExpected(kind: string, check: Check, { found, states, isWhole }: Outcome): boolean {
  const isRight = found === check.finds && (found !== undefined || isWhole);
  const name = [check.scenario, ...(check.flags ?? []), check.faults].join(" ");
  const result = found ?? (isWhole ? "no fault" : "search not ended");
  const columns = [isRight ? "ok  " : "FAIL", kind.padEnd(7), name.padEnd(27), String(states).padStart(9)];
  console.log(`${columns.join(" ")} states  ${result}: ${check.says}`);
  return isRight;
}

/** Makes a program of the model and lets it look for a fault in all states. */
async function search({ scenario, faults, flags = [], finds }: Check, cwd: string): Promise<Outcome> {
  const defines = [scenario, `FAULTS=${faults}`, ...flags].map((flag) => `-D${flag}`);
  const speed = finds ? "-O0" : "-O2";
  await Bun.$`spin -a ${defines} ${join(import.meta.dir, "protocol.pml")}`.cwd(cwd).quiet();
  await Bun.$`gcc ${speed} -DSAFETY -DCOLLAPSE -w -o pan pan.c`.cwd(cwd).quiet();
  const text = await Bun.$`./pan -m100000 -w22 -n`.cwd(cwd).nothrow().text();
  const [, number] = /assertion violated .*\((\d)==0\)/.exec(text) ?? [];
  const isStuck = text.includes("invalid end state (");
  return {
    found: number ? properties[Number(number)] : isStuck ? properties[0] : undefined,
    states: Number(/(\d+) states, stored/.exec(text)?.[1]),
    isWhole: text.includes("errors: 0") && !/Search not completed|max search depth/.test(text),
  };
}

await runLab(() => checkModel(Number(process.argv[2] ?? 1)));
