import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTurns } from "../../../shared/process/turns.ts";
import { type Check, cleanChecks, controls, limits, properties } from "./checks.ts";

/**
 * `npm run lab -- model [faults]`: checks every state of the protocol, and that each control is found. `faults` is the
 * number in a run, 1 if unset.
 */
type Outcome = Readonly<{ found: string | undefined; states: number; isWhole: boolean }>;

const missing = ["spin", "gcc"].filter((program) => !Bun.which(program));
if (missing.length > 0) {
  console.log(`SKIPPED: the model needs ${missing.join(" and ")}.`);
  process.exit(0);
}
const began = performance.now();
const folder = mkdtempSync(join(tmpdir(), "kept-model-"));
const turns = createTurns({ atOnce: 2, mostWaiting: 1_000 });
const faults = Number(process.argv[2] ?? 1);
const all = [
  ...cleanChecks(faults).map((check) => ({ kind: "clean", check })),
  ...controls.map((check) => ({ kind: "control", check })),
  ...limits.map((check) => ({ kind: "limit", check })),
];
const results = await Promise.all(all.map(report));
rmSync(folder, { recursive: true });
const wrong = results.filter((isRight) => !isRight).length;
const seconds = ((performance.now() - began) / 1_000).toFixed(0);
console.log(`${results.length - wrong} of ${results.length} as expected, in ${seconds} s`);
process.exitCode = wrong === 0 ? 0 : 1;

/** @returns whether the check found what it must */
async function report({ kind, check }: { kind: string; check: Check }, index: number): Promise<boolean> {
  const { found, states, isWhole } = await turns.run(
    "",
    () => search(check, index),
    () => {
      throw new Error("too many checks");
    },
  );
  const isRight = found === check.finds && (found !== undefined || isWhole);
  const name = [check.scenario, ...(check.flags ?? []), check.faults].join(" ");
  const result = found ?? (isWhole ? "no fault" : "search not ended");
  console.log(
    `${isRight ? "ok  " : "FAIL"} ${kind.padEnd(8)}${name.padEnd(28)}${String(states).padStart(9)} states  ${result}: ${check.says}`,
  );
  return isRight;
}

/** Makes a program of the model and lets it look for a fault in all states. */
async function search({ scenario, faults, flags = [], finds }: Check, index: number): Promise<Outcome> {
  const cwd = join(folder, String(index));
  const defines = [scenario, `FAULTS=${faults}`, ...flags].map((flag) => `-D${flag}`);
  const speed = finds ? "-O0" : "-O2";
  await Bun.$`mkdir ${cwd}`;
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
