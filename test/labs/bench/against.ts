import { percentile } from "../../support/flood.ts";
import { cpuCells, cpuNames, cpuTotal, type HttpResult, measure, ofEachProgram } from "./load/measure.ts";
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
  const { seconds, rounds } = options;
  const rows = [];
  for (const { scenario, connections } of runsOf(options)) {
    const turns: Turn[] = [];
    for (let round = 0; round < rounds; round++) {
      const one = (subject: Subject) => {
        const sequences = sequencesOf(scenario, subject);
        const warmUp = round === 0 ? warmUpSeconds : shortWarmUpSeconds;
        return measure({ port: subject.port, connections, seconds, warmUpSeconds: warmUp, sequences });
      };
      // The subjects also take turns at being first.
      if (round % 2 === 0) turns.push({ own: await one(own), other: await one(other) });
      else turns.push({ other: await one(other), own: await one(own) });
    }
    rows.push({
      name: scenario.name,
      connections,
      p50: ratios(turns, ({ p50 }) => p50),
      cpu: ratios(turns, ({ cpu }) => cpuTotal(cpu)),
      ownCpu: medians(turns.map((turn) => turn.own)),
      otherCpu: medians(turns.map((turn) => turn.other)),
      perSecond: ratios(turns, ({ perSecond }) => perSecond),
    });
  }
  const ratio = (of: string) => [`${of}, ratio`, "middle half"];
  printTable([
    [
      ...["", "connections", ...ratio("p50"), ...ratio("CPU per request")],
      ...[`own µs: ${cpuNames.join(" + ")}`, "the other's", ...ratio("requests/s")],
    ],
    ...rows.map(({ name, connections, p50, cpu, ownCpu, otherCpu, perSecond }) => [
      ...[name, String(connections), ...cells(p50), ...cells(cpu)],
      ...[cpuCells(ownCpu), cpuCells(otherCpu), ...cells(perSecond)],
    ]),
  ]);
  return rows;
}

const medians = (results: readonly HttpResult[]) =>
  ofEachProgram((program) => {
    const spent = results.map(({ cpu }) => cpu[program]);
    return percentile(spent, 0.5);
  });

/** The median of all turns and the middle half of them, because a busy machine spoils some. */
type Ratios = Readonly<{ median: number; lower: number; upper: number }>;

function ratios(turns: readonly Turn[], figure: (result: HttpResult) => number): Ratios {
  const all = turns.map(({ own, other }) => figure(own) / figure(other));
  return { median: percentile(all, 0.5), lower: percentile(all, 0.25), upper: percentile(all, 0.75) };
}

const cells = ({ median, lower, upper }: Ratios): string[] => [
  median.toFixed(3),
  `${lower.toFixed(3)}–${upper.toFixed(3)}`,
];
