import { writeFileSync } from "node:fs";
import { hasClocks } from "../../support/servers/clocked-postgres.ts";
import { printTable } from "../bench/report.ts";
import type { Result } from "./chaos.ts";
import { violationKinds } from "./evidence.ts";
import { type Inflicted, nameOf } from "./faults.ts";
import { conclusionOf, type History, isWrite } from "./history.ts";

/** True if the run reached its goals; a control must be caught. */
export function isGood(result: Result): boolean {
  const { options, violations } = result;
  if (options.control !== undefined) return violations.length > 0;
  return violations.length === 0 && goalsOf(result).every(({ found, goal }) => found >= goal);
}

function goalsOf({ options, history, inflicted }: Result): { what: string; found: number; goal: number }[] {
  const timed = options.seconds !== undefined;
  return [
    { what: "writes acknowledged", found: history.acknowledged(), goal: timed ? 1 : options.acks },
    { what: "disturbances", found: inflicted.length, goal: timed ? 1 : options.faults },
  ];
}

/** Prints the run as a table, and what is wrong in sentences. */
export function printReport(result: Result): void {
  const { options, history, inflicted, violations, seconds } = result;
  const control = options.control ? `control ${options.control}, ` : "";
  console.log(`\nchaos: ${control}seed ${options.seed}, ${seconds.toFixed(0)} s in all\n`);
  const count = (kind: string) => violations.filter((violation) => violation.kind === kind).length;
  printTable([
    ["", "found", "goal"],
    ...goalsOf(result).map(({ what, found, goal }) => [what, String(found), `≥ ${goal}`]),
    ...Object.entries(violationKinds).map(([kind, words]) => [words, String(count(kind)), "0"]),
    ["slowest recovery", slowestRecovery(history, inflicted), ""],
  ]);
  const writes = history.operations.filter(isWrite);
  console.log(`\nAnswers to writes: ${counted(writes, (one) => conclusionOf(one).verdict)}.`);
  const unclocked = hasClocks ? "" : " No clocks: libfaketime is not installed.";
  console.log(`Disturbances: ${counted(inflicted, ({ fault }) => fault.kind)}.${unclocked}`);
  if (violations.length === 0) return;
  const shown = 12;
  console.log("");
  for (const { kind, sentence } of violations.slice(0, shown)) console.log(`- ${kind}: ${sentence}`);
  if (violations.length > shown) console.log(`- and ${violations.length - shown} more`);
  if (options.control === undefined) console.log(`\nThe whole history: ${writeHistory(result)}`);
}

function counted<One>(all: readonly One[], kindOf: (one: One) => string): string {
  return [...Map.groupBy(all, kindOf)].map(([kind, { length }]) => `${length} ${kind}`).join(", ");
}

/** From the end of a disturbance until each door has acknowledged a write that began after it; the slowest. */
function slowestRecovery(history: History, inflicted: readonly Inflicted[]): string {
  const acknowledgements = history.operations
    .filter(isWrite)
    .flatMap(({ attempts }) => attempts)
    .filter(({ answer }) => answer.verdict === "done")
    .toSorted((one, other) => one.to - other.to);
  let slowest = { ms: 0, after: "" };
  for (const { fault, to } of inflicted) {
    const firsts = [0, 1].map((door) =>
      acknowledgements.find((attempt) => attempt.door === door && attempt.from >= to),
    );
    const ms = Math.max(...firsts.map((first) => (first ? first.to - to : 0)));
    if (ms > slowest.ms) slowest = { ms, after: nameOf(fault) };
  }
  return `${slowest.ms} ms after ${slowest.after}`;
}

/** Every operation and disturbance, one a line, in the order in which they began. */
function writeHistory({ options, history, inflicted, violations }: Result): string {
  const path = `chaos-${options.seed}.log`;
  const lines = [
    ...violations.map((violation) => ({ violation })),
    ...inflicted.map((disturbance) => ({ disturbance })),
    ...history.operations.map((operation) => ({ operation })),
  ];
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  return path;
}
