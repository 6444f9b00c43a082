import { cpus, totalmem } from "node:os";
import { reportGoals } from "../bench/goals.ts";
import { cpuTotal, type HttpResult } from "../bench/load/measure.ts";
import { printTable } from "../bench/report.ts";
import type { Contestant, Question } from "./contestant.ts";
import { packages } from "./packages.ts";

export type Row = Readonly<{ question: Question; name: string; isOurs: boolean; http: HttpResult }>;

type Report = Readonly<{
  seconds: number;
  rounds: number;
  users: number;
  connections: number;
  running: readonly Contestant[];
  rows: readonly Row[];
  /** Memory by contestant. */
  idleMb: readonly number[];
  afterMb: readonly number[];
}>;

/** Prints the run as the Markdown that docs/measurements.md holds. */
export async function printReport(report: Report): Promise<void> {
  const { rows, running, idleMb, afterMb } = report;
  console.log(await heading(report));
  printTable([["", "server", "requests/s", "p50 ms", "p99 ms", "CPU µs/request"], ...rows.map(cellsOf)]);
  console.log("");
  printTable([
    ["server", "MB at rest", "MB after", "against Kept"],
    ...running.map(({ name, lacks }, index) => [
      name,
      (idleMb[index] ?? 0).toFixed(0),
      (afterMb[index] ?? 0).toFixed(0),
      lacks,
    ]),
  ]);
  for (const { question, name, http } of rows)
    for (const [status, answers] of Object.entries(http.statuses))
      if (!status.startsWith("2")) console.log(`${name}, ${question}: ${answers} answers were ${status}`);
  reportGoals({ results: ratesOf(rows) });
}

async function heading({ seconds, rounds, users, connections }: Report): Promise<string> {
  const { stdout } = await Bun.$`git describe --always --dirty`.quiet().nothrow();
  const [{ model = "unknown" } = {}] = cpus();
  const day = new Date().toISOString().slice(0, 10);
  const machine = `${cpus().length} cores (${model.trim()}), ${Math.round(totalmem() / 2 ** 30)} GiB`;
  const peers = Object.entries(packages).map(([name, version]) => `${name} ${version}`);
  return `\n${day}, commit ${stdout.toString().trim() || "unknown"}, ${machine}, Bun ${Bun.version}; ${peers.join(", ")}.
${connections} connections, ${users} users, ${seconds} s each, best of ${rounds}, all in turns. All gave the same answers.\n`;
}

/** The processor time of a peer is that of its process and of PostgreSQL; Kept is idle meanwhile. */
function cellsOf({ question, name, isOurs, http }: Row): string[] {
  const { perSecond, p50, p99, cpu } = http;
  const spent = isOurs ? cpuTotal(cpu) : cpu.api + cpu.postgres;
  return [question, name, perSecond.toFixed(0), p50.toFixed(1), p99.toFixed(1), spent.toFixed(0)];
}

const goalNames: Readonly<Record<string, string>> = {
  "Kept, REST list": "list",
  "Kept, REST create": "create",
  "Kept, MCP list": "mcp-read",
  "Kept, MCP create": "mcp-create",
};

const ratesOf = (rows: readonly Row[]) =>
  rows.flatMap(({ question, name, http }) => {
    const scenario = goalNames[`${name} ${question}`];
    return scenario ? { scenario: { name: scenario }, connections: 48, http } : [];
  });
