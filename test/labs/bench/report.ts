import { cpus } from "node:os";
import { currentCommit } from "../terminal.ts";
import { cpuCells, cpuTotal, type HttpResult } from "./load/measure.ts";
import type { LoneWrite } from "./lone-write.ts";
import type { Options } from "./options.ts";
import type { Scenario } from "./scenarios.ts";

export type Result = Readonly<{
  scenario: Scenario;
  connections: number;
  http: HttpResult;
  /** The rates of pgbench and the bare server. */
  limitPerSecond: number | undefined;
  barePerSecond: number | undefined;
}>;

/** Prints the run as the Markdown that docs/measurements.md holds. */
export async function printResults(options: Options, results: readonly Result[]): Promise<void> {
  const { seconds, rounds, users } = options;
  const { WORKER_CONCURRENCY: concurrency = "default" } = process.env;
  const machine = `${cpus().length} cores, Bun ${Bun.version}`;
  console.log(`commit ${await currentCommit()}, ${machine}; ${seconds} s each, best of ${rounds}`);
  console.log(`${users} users; worker concurrency: ${concurrency}\n`);
  printTable([
    [
      ...["", "connections", "requests/s", "p50 ms", "p99 ms", "p99 / p50", "CPU µs/request"],
      ...["api + workers + Redis + PostgreSQL", "limit/s", "ratio", "bare server/s", "ratio"],
    ],
    ...results.map((result) => [...cellsOf(result), ...sharesOf(result, results)]),
  ]);
  for (const { scenario, connections, http } of results)
    for (const [status, answers] of Object.entries(http.statuses))
      if (!status.startsWith("2"))
        console.log(`${scenario.name} over ${connections}: ${answers} answers were ${status}`);
}

function cellsOf({ scenario, connections, http }: Result): string[] {
  const { perSecond, p50, p99, cpu } = http;
  const times = [p50.toFixed(2), p99.toFixed(1), (p99 / p50).toFixed(1)];
  const spent = [cpuTotal(cpu).toFixed(0), cpuCells(cpu)];
  return [scenario.name, String(connections), perSecond.toFixed(0), ...times, ...spent];
}

function sharesOf(
  { scenario, connections, http, limitPerSecond, barePerSecond }: Result,
  all: readonly Result[],
): string[] {
  const share = (of: number | undefined) => (of ? (http.perSecond / of).toFixed(2) : "");
  const whole = all.find(
    (other) => other.scenario.name === scenario.shareOf && other.connections === connections,
  );
  const limit = limitPerSecond ?? whole?.http.perSecond;
  const words = scenario.limit?.words ?? `our ${scenario.shareOf}`;
  return [
    limit ? `${limit.toFixed(0)} (${words})` : "",
    share(limit),
    barePerSecond?.toFixed(0) ?? "",
    share(barePerSecond),
  ];
}

export function printLoneWrites(writes: readonly LoneWrite[]): void {
  if (writes.length === 0) return;
  console.log("\nA lone write beside the same transaction done directly:\n");
  printTable([
    ["", "p50 ms", "directly", "ratio"],
    ...writes.map(({ name, http, direct }) => [
      ...[name, http.toFixed(2), direct.toFixed(2), (http / direct).toFixed(2)],
    ]),
  ]);
}

/** Prints a table in Markdown; the first row is its head. */
export function printTable(rows: readonly (readonly string[])[]): void {
  const [head = []] = rows;
  const widths = head.map((_, column) => Math.max(...rows.map((row) => (row[column] ?? "").length)));
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  const rule = `|${widths.map((width) => "-".repeat(width + 2)).join("|")}|`;
  console.log([line(head), rule, ...rows.slice(1).map(line)].join("\n"));
}
