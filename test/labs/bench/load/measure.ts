import { join } from "node:path";
import { type Descendant, descendants } from "../../../support/chaos/descendants.ts";
import type { Load, LoadMessage, Measured } from "./load.ts";

/** Processor time per request in microseconds, by the process that took it; the identity provider's is in `api`. */
export type Cpu = Readonly<{ api: number; workers: number; redis: number; postgres: number }>;

export const cpuNames = ["api", "workers", "redis", "postgres"] as const satisfies (keyof Cpu)[];

export const ofEachProgram = <Figure>(of: (program: keyof Cpu) => Figure) => ({
  ...{ api: of("api"), workers: of("workers"), redis: of("redis"), postgres: of("postgres") },
});

export const cpuCells = (cpu: Cpu): string => cpuNames.map((program) => cpu[program].toFixed(0)).join(" + ");

export const cpuTotal = ({ api, workers, redis, postgres }: Cpu): number => api + workers + redis + postgres;

export type HttpResult = Measured & Readonly<{ perSecond: number; cpu: Cpu }>;

export const programs: Record<keyof Cpu, RegExp> = {
  // Under `npm start` it may hold the workers, too.
  api: /bun\S* .*(api\/main|embedded\/together)\.ts( |$)/,
  workers: /bun\S* .*workers\/main\.ts$/,
  redis: /^\S*(redis|valkey)-server/,
  postgres: /^(\S*\/postgres |postgres: )/,
};

/**
 * Puts one load on a server, and measures its answers and the processor time of each process.
 * @param door the process that takes the requests, if it is not Kept's
 */
export async function measure(load: Load, door: RegExp = programs.api): Promise<HttpResult> {
  const result = Promise.withResolvers<Measured>();
  let before = descendants();
  let after = before;
  const generator = Bun.spawn([process.execPath, join(import.meta.dir, "load.ts")], {
    stdio: ["pipe", "inherit", "inherit"],
    ipc(message: LoadMessage) {
      if (message === "begin") before = descendants();
      else if (message === "end") after = descendants();
      else result.resolve(message);
    },
  });
  generator.stdin.write(JSON.stringify(load));
  generator.stdin.end();
  const ended = generator.exited.then((code): never => {
    throw new Error(`The load generator ended with exit code ${code}.`);
  });
  const measured = await Promise.race([result.promise, ended]);
  ended.catch(() => {}); // The process may end now.
  if (!Object.keys(measured.statuses).some((status) => status.startsWith("2")))
    throw new Error(`No request succeeded: ${JSON.stringify(measured.statuses)}`);
  const cpu = ofEachProgram((name) => {
    const program = name === "api" ? door : programs[name];
    return ((cpuOf(after, program) - cpuOf(before, program)) * 1000) / measured.requests;
  });
  return { ...measured, perSecond: measured.requests / load.seconds, cpu };
}

/** The best round of a server, because a busy machine only takes away. */
export function best<Round extends { perSecond: number }>(rounds: readonly Round[]): Round {
  return rounds.reduce((one, other) => (other.perSecond > one.perSecond ? other : one));
}

const cpuOf = (processes: readonly Descendant[], program: RegExp): number =>
  processes.reduce((sum, { command, cpuMs }) => sum + (program.test(command) ? cpuMs : 0), 0);
