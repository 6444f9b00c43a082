import { cpuTotal, type HttpResult } from "./measure.ts";
import type { Options } from "./options.ts";
import type { Result } from "./run.ts";

type Report = Readonly<{
  commit: string;
  cores: number;
  options: Options;
  /** What the load generator itself reaches. */
  ceiling: HttpResult;
  results: readonly Result[];
}>;

/** Prints the run as the Markdown that docs/benchmarks.md holds. */
export function printResults({ commit, cores, options, ceiling, results }: Report): void {
  const { connections, seconds, rounds, users } = options;
  const { BATCHES_IN_FLIGHT: k = "default", WORKER_CONCURRENCY: concurrency = "default" } = process.env;
  console.log(
    `commit ${commit}, ${cores} cores, Bun ${Bun.version}; ${connections} connections, ${seconds} s each, best of ${rounds}`,
  );
  console.log(`${users} users; batches in flight: ${k}, worker concurrency: ${concurrency}\n`);
  printTable([
    [
      "",
      "requests/s",
      "p50 ms",
      "p99 ms",
      "CPU µs/request",
      "api + workers + Redis + PostgreSQL",
      "limit/s",
      "ratio",
      "bare server/s",
      "ratio",
    ],
    row("one fixed page", ceiling, ["", "", "", ""]),
    ...results.map((result) => row(result.scenario.name, result.http, sharesOf(result, results))),
  ]);
  for (const { scenario, http } of results) {
    const failed = Object.entries(http.statuses).filter(([status]) => !status.startsWith("2"));
    for (const [status, count] of failed) console.log(`${scenario.name}: ${count} answers were ${status}`);
  }
}

function sharesOf(
  { scenario, http, limitPerSecond, barePerSecond }: Result,
  all: readonly Result[],
): string[] {
  const share = (of: number | undefined) => (of ? (http.perSecond / of).toFixed(2) : "");
  const whole = all.find((other) => other.scenario.name === scenario.shareOf)?.http.perSecond;
  const limit = limitPerSecond ?? whole;
  const words = scenario.limit?.words ?? (whole ? `our ${scenario.shareOf}` : "");
  return [
    limit ? `${limit.toFixed(0)} (${words})` : "",
    share(limit),
    barePerSecond?.toFixed(0) ?? "",
    share(barePerSecond),
  ];
}

function row(name: string, { perSecond, p50, p99, cpu }: HttpResult, limit: string[]): string[] {
  const parts = [cpu.api, cpu.workers, cpu.redis, cpu.postgres];
  const total = cpuTotal(cpu);
  const shares = parts.map((part) => part.toFixed(0)).join(" + ");
  return [name, perSecond.toFixed(0), p50.toFixed(1), p99.toFixed(1), total.toFixed(0), shares, ...limit];
}

export function printTable(rows: readonly string[][]): void {
  const [head = []] = rows;
  const widths = head.map((_, column) => Math.max(...rows.map((row) => (row[column] ?? "").length)));
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`;
  const rule = `|${widths.map((width) => "-".repeat(width + 2)).join("|")}|`;
  console.log([line(head), rule, ...rows.slice(1).map(line)].join("\n"));
}
