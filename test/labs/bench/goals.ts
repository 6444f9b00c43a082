import { type Goal, printGoals } from "../terminal.ts";
import type { Memory } from "./footprint.ts";
import type { LoneWrite } from "./lone-write.ts";

type Rate = Readonly<{
  scenario: { name: string };
  connections: number;
  http: { perSecond: number };
  limitPerSecond?: number | undefined;
  barePerSecond?: number | undefined;
}>;

/** The figures of a run, as far as it measured them. */
export type Measured = Readonly<{
  results: readonly Rate[];
  loneWrites?: readonly LoneWrite[];
  written?: Readonly<Record<string, number>>;
  /** Memory of `npm start`. */
  idleMb?: Memory;
  afterMb?: Memory;
}>;

/** @returns the goals that the run measured, and the names of the others */
export function goalsOf(run: Measured): Readonly<{ goals: readonly Goal[]; unmeasured: readonly string[] }> {
  const { results, loneWrites, written, idleMb, afterMb } = run;
  /** The rates of many clients count; the lone write has its own figures. */
  const busy = (name: string) =>
    results.find(({ scenario, connections }) => scenario.name === name && connections > 1);
  const rate = (name: string) => busy(name)?.http.perSecond;
  const lone = (name: string) => loneWrites?.find((write) => write.name === name);
  const judged = [
    atMost(170, "memory at rest", besidePostgres(idleMb), " MB"),
    atMost(330, "memory after the bench", besidePostgres(afterMb), " MB"),
    atLeast(0.6, "create, of pgbench's statement", rate("create"), busy("create")?.limitPerSecond),
    atLeast(1.2, "toggle, of pgbench's statement", rate("toggle"), busy("toggle")?.limitPerSecond),
    atLeast(1.15, "complete, of pgbench's statement", rate("complete"), busy("complete")?.limitPerSecond),
    atLeast(0.85, "create, of a bare server", rate("create"), busy("create")?.barePerSecond),
    atLeast(0.85, "toggle, of a bare server", rate("toggle"), busy("toggle")?.barePerSecond),
    atLeast(0.85, "complete, of a bare server", rate("complete"), busy("complete")?.barePerSecond),
    atMost(2, "a lone create, of a direct one", ratio(lone("create")?.http, lone("create")?.direct), " ×"),
    atMost(2, "a lone toggle, of a direct one", ratio(lone("toggle")?.http, lone("toggle")?.direct), " ×"),
    atLeast(0.65, "MCP read, of the REST list", rate("mcp-read"), rate("list")),
    atLeast(0.9, "MCP create, of the REST create", rate("mcp-create"), rate("create")),
    atMost(800, "log of a create", written?.create, " bytes"),
    atMost(900, "log of a toggle", written?.toggle, " bytes"),
  ];
  return {
    goals: judged.flatMap((goal) => (typeof goal === "string" ? [] : goal)),
    unmeasured: judged.filter((goal) => typeof goal === "string"),
  };
}

const ratio = (one: number | undefined, other: number | undefined) => one && other && one / other;

const besidePostgres = (sizes: Memory | undefined) =>
  sizes && Object.entries(sizes).reduce((sum, [name, size]) => (name === "postgres" ? sum : sum + size), 0);

const written = (number: number): string => (number < 10 ? number.toFixed(2) : number.toFixed(0));

/** @returns the name alone, if there is no figure */
function atMost(most: number, what: string, figure: number | undefined, unit: string): Goal | string {
  if (figure === undefined || !Number.isFinite(figure)) return what;
  const goal = `≤ ${written(most)}${unit}`;
  return { what, found: `${written(figure)}${unit}`, goal, ok: figure <= most };
}

function atLeast(least: number, what: string, one: number | undefined, other: number | undefined) {
  const figure = ratio(one, other);
  if (figure === undefined || !Number.isFinite(figure)) return what;
  return { what, found: written(figure), goal: `≥ ${written(least)}`, ok: figure >= least };
}

export function reportGoals(run: Measured): void {
  const { goals, unmeasured } = goalsOf(run);
  console.log("");
  printGoals(goals);
  if (unmeasured.length > 0) console.log(`not measured: ${unmeasured.join("; ")}`);
}
