import { type Goal, printGoals } from "../goals.ts";
import type { Left, Memory } from "./footprint.ts";
import type { LoneWrite } from "./lone-write.ts";
import type { Result } from "./run.ts";

/** The figures of a run, as far as it measured them. */
export type Measured = Readonly<{
  results: readonly Rate[];
  loneWrites?: readonly LoneWrite[];
  written?: Readonly<Record<string, Left>>;
  /** Memory of `npm start`. */
  idleMb?: Memory;
  afterMb?: Memory;
}>;

type Rate = Readonly<{ scenario: { name: string }; connections: number; http: { perSecond: number } }> &
  Partial<Pick<Result, "limitPerSecond" | "barePerSecond">>;

type Of = (run: Measured) => number | undefined;
type Aim = Readonly<{ what: string; least?: number; most?: number; unit?: string; of: Of }>;

/** The rates of many clients count; the lone write has its own figures. */
const busy = (run: Measured, name: string): Rate | undefined =>
  run.results.find(({ scenario, connections }) => scenario.name === name && connections > 1);

const ratio = (one: number | undefined, other: number | undefined) => one && other && one / other;

const ofLimit = (name: string): Of => {
  return (run) => ratio(busy(run, name)?.http.perSecond, busy(run, name)?.limitPerSecond);
};
const ofBare = (name: string): Of => {
  return (run) => ratio(busy(run, name)?.http.perSecond, busy(run, name)?.barePerSecond);
};
const ofScenario = (name: string, other: string): Of => {
  return (run) => ratio(busy(run, name)?.http.perSecond, busy(run, other)?.http.perSecond);
};
const loneWrite = (name: string): Of => {
  return ({ loneWrites }) => {
    const found = loneWrites?.find((write) => write.name === name);
    return ratio(found?.http, found?.direct);
  };
};
const logOf = (name: string): Of => {
  return ({ written }) => written?.[name]?.wal;
};

const besidePostgres = (sizes: Memory | undefined) =>
  sizes && Object.entries(sizes).reduce((sum, [name, size]) => (name === "postgres" ? sum : sum + size), 0);

const aims: readonly Aim[] = [
  { what: "memory at rest", most: 260, unit: " MB", of: ({ idleMb }) => besidePostgres(idleMb) },
  { what: "memory after the bench", most: 400, unit: " MB", of: ({ afterMb }) => besidePostgres(afterMb) },
  { what: "create, of pgbench's statement", least: 0.6, of: ofLimit("create") },
  { what: "toggle, of pgbench's statement", least: 1.2, of: ofLimit("toggle") },
  { what: "complete, of pgbench's statement", least: 1.15, of: ofLimit("complete") },
  { what: "create, of a bare server", least: 0.85, of: ofBare("create") },
  { what: "toggle, of a bare server", least: 0.85, of: ofBare("toggle") },
  { what: "complete, of a bare server", least: 0.85, of: ofBare("complete") },
  { what: "a lone create, of a direct one", most: 2, unit: " ×", of: loneWrite("create") },
  { what: "a lone toggle, of a direct one", most: 2, unit: " ×", of: loneWrite("toggle") },
  { what: "MCP read, of the REST list", least: 0.65, of: ofScenario("mcp-read", "list") },
  { what: "MCP create, of the REST create", least: 0.9, of: ofScenario("mcp-create", "create") },
  { what: "log of a create", most: 800, unit: " bytes", of: logOf("create") },
  { what: "log of a toggle", most: 900, unit: " bytes", of: logOf("toggle") },
];

/** @returns the goals that the run measured, and the names of the others */
export function goalsOf(run: Measured): Readonly<{ goals: readonly Goal[]; unmeasured: readonly string[] }> {
  const judged = aims.map((aim) => ({ what: aim.what, goal: judge(aim, aim.of(run)) }));
  return {
    goals: judged.flatMap(({ goal }) => goal ?? []),
    unmeasured: judged.flatMap(({ what, goal }) => (goal ? [] : what)),
  };
}

function judge({ what, least, most, unit = "" }: Aim, figure: number | undefined): Goal | undefined {
  if (figure === undefined || !Number.isFinite(figure)) return undefined;
  const written = (number: number) => `${number < 10 ? number.toFixed(2) : number.toFixed(0)}${unit}`;
  const goal = least === undefined ? `≤ ${written(most ?? 0)}` : `≥ ${written(least)}`;
  return {
    ...{ what, found: written(figure), goal },
    ok: figure >= (least ?? 0) && figure <= (most ?? Number.POSITIVE_INFINITY),
  };
}

export function reportGoals(run: Measured): void {
  const { goals, unmeasured } = goalsOf(run);
  console.log("");
  printGoals(goals);
  if (unmeasured.length > 0) console.log(`not measured: ${unmeasured.join("; ")}`);
}
