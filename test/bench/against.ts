import { cpuTotal, type HttpResult, measure } from "./measure.ts";
import type { Options } from "./options.ts";
import { printTable } from "./report.ts";
import { sequencesOf } from "./scenarios.ts";
import type { Subject } from "./subject.ts";

const warmUpSeconds = 5;
/** After the first round both are warm. */
const shortWarmUpSeconds = 1;

type Turn = Readonly<{ own: HttpResult; other: HttpResult }>;

/** Measures two versions in turns, so that what the machine does meanwhile happens to both, and prints the ratios. */
export async function compare(own: Subject, other: Subject, options: Options): Promise<object[]> {
  const rows = [];
  for (const scenario of options.chosen) {
    const turns: Turn[] = [];
    for (let round = 0; round < options.rounds; round++) {
      const load = {
        connections: options.connections,
        seconds: options.seconds,
        warmUpSeconds: round === 0 ? warmUpSeconds : shortWarmUpSeconds,
      };
      const one = (subject: Subject) =>
        measure({
          ...load,
          port: subject.port,
          sequences: sequencesOf(scenario, subject.tokens, subject.port),
        });
      // Who comes first takes turns as well.
      const first = await one(round % 2 === 0 ? own : other);
      const second = await one(round % 2 === 0 ? other : own);
      turns.push(round % 2 === 0 ? { own: first, other: second } : { own: second, other: first });
    }
    rows.push({
      name: scenario.name,
      cpu: ratios(turns, ({ cpu }) => cpuTotal(cpu)),
      perSecond: ratios(turns, ({ perSecond }) => perSecond),
    });
  }
  printTable([
    ["", "CPU per request, ratio", "spread", "requests/s, ratio", "spread"],
    ...rows.map(({ name, cpu, perSecond }) => [name, ...cells(cpu), ...cells(perSecond)]),
  ]);
  return rows;
}

type Ratios = Readonly<{ median: number; least: number; most: number }>;

function ratios(turns: readonly Turn[], figure: (result: HttpResult) => number): Ratios {
  const sorted = turns.map(({ own, other }) => figure(own) / figure(other)).sort((one, other) => one - other);
  const at = (place: number) => sorted[place] ?? Number.NaN;
  return { median: at(Math.floor(sorted.length / 2)), least: at(0), most: at(sorted.length - 1) };
}

const cells = ({ median, least, most }: Ratios): string[] => [
  median.toFixed(3),
  `${least.toFixed(3)}–${most.toFixed(3)}`,
];
