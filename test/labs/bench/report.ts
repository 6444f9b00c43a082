import { cpuTotal, type HttpResult } from "./load/measure.ts";
import type { LoneWrite } from "./lone-write.ts";
import type { Options } from "./options.ts";
import type { Result } from "./run.ts";

type Report = Readonly<{
  commit: string;
  cores: number;
  options: Options;
  /** The load generator's own limits, by number of connections. */
  ceilings: readonly HttpResult[];
  results: readonly Result[];
}>;

/** Prints the run as the Markdown that docs/measurements.md holds. */
export function printResults({ commit, cores, options, ceilings, results }: Report): void {
  const { connections, seconds, rounds, users } = options;
  const { WORKER_CONCURRENCY: concurrency = "default" } = process.env;
  console.log(`commit ${commit}, ${cores} cores, Bun ${Bun.version}; ${seconds} s each, best of ${rounds}`);
  console.log(`${users} users; worker concurrency: ${concurrency}\n`);
  printTable([
    [
      "",
      "connections",
      "requests/s",
      "p50 ms",
      "p99 ms",
      "p99 / p50",
      "CPU µs/request",
      "api + workers + Redis + PostgreSQL",
      "limit/s",
      "ratio",
      "bare server/s",
      "ratio",
    ],
    ...ceilings.map((ceiling, index) => row("one fixed page", connections[index], ceiling, ["", "", "", ""])),
    ...results.map((result) =>
      row(result.scenario.name, result.connections, result.http, sharesOf(result, results)),
    ),
  ]);
  for (const { scenario, connections: count, http } of results) {
    const failed = Object.entries(http.statuses).filter(([status]) => !status.startsWith("2"));
    for (const [status, answers] of failed)
      console.log(`${scenario.name} over ${count}: ${answers} answers were ${status}`);
  }
}

function sharesOf(
  { scenario, connections, http, limitPerSecond, barePerSecond }: Result,
  all: readonly Result[],
): string[] {
  const share = (of: number | undefined) => (of ? (http.perSecond / of).toFixed(2) : "");
  const whole = all.find(
    (other) => other.scenario.name === scenario.shareOf && other.connections === connections,
  )?.http.perSecond;
  const limit = limitPerSecond ?? whole;
  const words = scenario.limit?.words ?? (whole ? `our ${scenario.shareOf}` : "");
  return [
    limit ? `${limit.toFixed(0)} (${words})` : "",
    share(limit),
    barePerSecond?.toFixed(0) ?? "",
    share(barePerSecond),
  ];
}

function row(
  name: string,
  connections: number | undefined,
  { perSecond, p50, p99, cpu }: HttpResult,
  limit: string[],
): string[] {
  const parts = [cpu.api, cpu.workers, cpu.redis, cpu.postgres];
  const total = cpuTotal(cpu);
  const shares = parts.map((part) => part.toFixed(0)).join(" + ");
  const times = [p50.toFixed(2), p99.toFixed(1), (p99 / p50).toFixed(1)];
  return [name, String(connections), perSecond.toFixed(0), ...times, total.toFixed(0), shares, ...limit];
}

export function printLoneWrites(writes: readonly LoneWrite[]): void {
  if (writes.length === 0) return;
  console.log("\nA lone write beside the same transaction done directly:\n");
  printTable([
    ["", "p50 ms", "directly", "ratio"],
    ...writes.map(({ name, http, direct }) => [
      name,
      http.toFixed(2),
      direct.toFixed(2),
      (http / direct).toFixed(2),
    ]),
  ]);
}

export function printTable(rows: readonly string[][]): void {
  const [head = []] = rows;
  const widths = head.map((_, column) => Math.max(...rows.map((row) => (row[column] ?? "").length)));
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  const rule = `|${widths.map((width) => "-".repeat(width + 2)).join("|")}|`;
  console.log([line(head), rule, ...rows.slice(1).map(line)].join("\n"));
}
