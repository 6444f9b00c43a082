import { writeFileSync } from "node:fs";
import type { Result } from "./chaos.ts";
import { type ViolationKind, violationKinds } from "./evidence.ts";
import type { Inflicted } from "./faults.ts";
import { conclusionOf, type History, isWrite } from "./history.ts";
import { nameOf } from "./schedule.ts";
import { hasClocks } from "./world/clock.ts";

const kindsInWords: Record<ViolationKind, string> = {
  lost: "acknowledged and lost",
  doubled: "done twice",
  "false no": "told applied: no, and done",
  "refused but done": "refused, and done",
  log: "rows of the action log missing or too many",
  order: "own writes out of order",
  parity: "shared toggles miscounted",
  winner: "second winners of a habit's day",
  late: "done after they were given up",
  repeat: "repeats told something else",
  queue: "left in the queue",
  "in vain": "repeated for half a minute in vain",
  answer: "answers that were never promised",
  approval: "approved changes not done once, or others done",
};

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
  const count = (kind: ViolationKind) => violations.filter((violation) => violation.kind === kind).length;
  printTable([
    ["", "found", "goal"],
    ...goalsOf(result).map(({ what, found, goal }) => [what, String(found), `≥ ${goal}`]),
    ...violationKinds.map((kind) => [kindsInWords[kind], String(count(kind)), "0"]),
    ["slowest recovery", slowestRecovery(history, inflicted), ""],
  ]);
  console.log(`\nAnswers to writes: ${verdicts(history)}.`);
  console.log(
    `Disturbances: ${kinds(inflicted)}.${hasClocks ? "" : " No clocks: libfaketime is not installed."}`,
  );
  if (violations.length === 0) return;
  const shown = 12;
  console.log("");
  for (const { kind, sentence } of violations.slice(0, shown)) console.log(`- ${kind}: ${sentence}`);
  if (violations.length > shown) console.log(`- and ${violations.length - shown} more`);
  if (options.control === undefined) console.log(`\nThe whole history: ${writeHistory(result)}`);
}

function verdicts({ operations }: History): string {
  const all = Map.groupBy(operations.filter(isWrite), (operation) => conclusionOf(operation).verdict);
  return [...all].map(([verdict, of]) => `${of.length} ${verdict}`).join(", ");
}

function kinds(inflicted: readonly Inflicted[]): string {
  const all = Map.groupBy(inflicted, ({ fault }) => fault.kind);
  return [...all].map(([kind, of]) => `${of.length} ${kind}`).join(", ");
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

function printTable(rows: readonly string[][]): void {
  const [head = []] = rows;
  const widths = head.map((_, column) => Math.max(...rows.map((row) => (row[column] ?? "").length)));
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  const rule = `|${widths.map((width) => "-".repeat(width + 2)).join("|")}|`;
  console.log([line(head), rule, ...rows.slice(1).map(line)].join("\n"));
}
