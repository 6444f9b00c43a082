import { type Cpu, cpuTotal, type HttpResult, measure } from "./load/measure.ts";
import { type Options, runsOf } from "./options.ts";
import { printTable } from "./report.ts";
import { sequencesOf } from "./scenarios.ts";
import type { Subject } from "./subject.ts";

const warmUpSeconds = 5;
/** After the first round, both are warm. */
const shortWarmUpSeconds = 1;

type Turn = Readonly<{ own: HttpResult; other: HttpResult }>;

/** Measures two subjects in turns, so that changes of the machine affect both, and prints the ratios. */
export async function compare(own: Subject, other: Subject, options: Options): Promise<object[]> {
  const rows = [];
  for (const { scenario, connections } of runsOf(options)) {
    const turns: Turn[] = [];
    for (let round = 0; round < options.rounds; round++) {
      const load = {
        connections,
        seconds: options.seconds,
        warmUpSeconds: round === 0 ? warmUpSeconds : shortWarmUpSeconds,
      };
      const one = (subject: Subject) =>
        measure({
          ...load,
          port: subject.port,
          otherPorts: subject.otherPorts,
          sequences: sequencesOf(scenario, subject, subject.port),
        });
      // The subjects also take turns at being first.
      const first = await one(round % 2 === 0 ? own : other);
      const second = await one(round % 2 === 0 ? other : own);
      turns.push(round % 2 === 0 ? { own: first, other: second } : { own: second, other: first });
    }
    rows.push({
      name: scenario.name,
      connections,
      p50: ratios(turns, ({ p50 }) => p50),
      cpu: ratios(turns, ({ cpu }) => cpuTotal(cpu)),
      ownCpu: medians(turns.map(({ own }) => own.cpu)),
      otherCpu: medians(turns.map(({ other }) => other.cpu)),
      perSecond: ratios(turns, ({ perSecond }) => perSecond),
    });
  }
  printTable([
    ["", "connections", "p50, ratio", "middle half", "CPU per request, ratio", "middle half"].concat(
      `own µs: ${programNames}`,
      "the other's",
      "requests/s, ratio",
      "middle half",
    ),
    ...rows.map(({ name, connections, p50, cpu, ownCpu, otherCpu, perSecond }) => [
      name,
      String(connections),
      ...cells(p50),
      ...cells(cpu),
      byProgram(ownCpu),
      byProgram(otherCpu),
      ...cells(perSecond),
    ]),
  ]);
  return rows;
}

const programs = ["api", "workers", "redis", "postgres"] as const satisfies (keyof Cpu)[];
const programNames = programs.join(" + ");
const byProgram = (cpu: Cpu): string => programs.map((program) => cpu[program].toFixed(0)).join(" + ");

const medians = (turns: readonly Cpu[]): Cpu => {
  const of = (program: keyof Cpu) =>
    quantile(
      turns.map((cpu) => cpu[program]),
      0.5,
    );
  return { api: of("api"), workers: of("workers"), redis: of("redis"), postgres: of("postgres") };
};

/** The median of all turns and the middle half of them, because a busy machine spoils some. */
type Ratios = Readonly<{ median: number; lower: number; upper: number }>;

function ratios(turns: readonly Turn[], figure: (result: HttpResult) => number): Ratios {
  const all = turns.map(({ own, other }) => figure(own) / figure(other));
  return { median: quantile(all, 0.5), lower: quantile(all, 0.25), upper: quantile(all, 0.75) };
}

function quantile(figures: readonly number[], share: number): number {
  return figures.toSorted((one, other) => one - other)[Math.floor(figures.length * share)] ?? Number.NaN;
}

const cells = ({ median, lower, upper }: Ratios): string[] => [
  median.toFixed(3),
  `${lower.toFixed(3)}–${upper.toFixed(3)}`,
];
