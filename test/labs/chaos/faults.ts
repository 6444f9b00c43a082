import { createRandom } from "../../support/chaos/random.ts";
import { demandStep } from "../../support/servers/clocked-postgres.ts";
import { signal } from "../../support/servers/signal.ts";
import type { World } from "./world.ts";

const doors = ["door-0", "door-1"] as const;
const workers = ["worker-0", "worker-1"] as const;
const servers = ["redis", "postgres"] as const;

/** The processes of the service, and its servers. */
export const parts = [...doors, ...workers, ...servers] as const;
export type Part = (typeof parts)[number];

/** The connections of the service, each through a gate of its own. */
export const ways = [
  ...doors.map((door) => `clients to ${door}` as const),
  ...[...doors, ...workers].flatMap((part) => servers.map((server) => `${part} to ${server}` as const)),
] as const;
export type Way = (typeof ways)[number];

type What =
  | Readonly<{ kind: "kill"; on: Part }>
  /** SIGSTOP, then SIGCONT. */
  | Readonly<{ kind: "freeze"; on: Part }>
  /** `cut`: once; `silence`: until somebody notices; `shut`: for a while; `slow`: delays each packet. */
  | Readonly<{ kind: "cut" | "silence" | "shut" | "slow"; on: Way }>
  /** The clock is wrong by this many seconds. */
  | Readonly<{ kind: "clock"; on: Part; seconds: number }>;

/** One disturbance: `ms` is its duration, `after` the time until the next one. */
export type Fault = Readonly<{ ms: number; after: number }> & What;

/** A disturbance with its begin and end (epoch ms). */
export type Inflicted = Readonly<{ fault: Fault; from: number; to: number }>;

/** The shortest and the longest duration (ms). */
const lengths = {
  kill: [0, 0],
  freeze: [300, 4_500],
  cut: [0, 0],
  silence: [0, 0],
  shut: [300, 2_500],
  slow: [500, 2_000],
  clock: [1_500, 4_000],
} as const;

const shut: readonly Way[] = [
  "door-0 to redis",
  "worker-1 to redis",
  "door-1 to postgres",
  "worker-0 to postgres",
];
const slow: readonly Way[] = [
  "clients to door-0",
  "door-1 to redis",
  "worker-0 to redis",
  "worker-1 to postgres",
];
const all: readonly What[] = [
  // These parts die most often in production.
  ...[...parts, ...parts].map((on) => ({ kind: "kill", on }) as const),
  ...parts.map((on) => ({ kind: "freeze", on }) as const),
  ...ways.flatMap((on) => [{ kind: "cut", on } as const, { kind: "silence", on } as const]),
  ...shut.map((on) => ({ kind: "shut", on }) as const),
  ...slow.map((on) => ({ kind: "slow", on }) as const),
  // libfaketime and the allocator that Redis is built with do not go together.
  ...parts.flatMap((on) => (on === "redis" ? [] : ({ kind: "clock", on, seconds: 0 } as const))),
];

/** Endless disturbances, the same for the same seed: all of them once in random order, then again. */
export function* schedule(seed: number, withClocks: boolean): Generator<Fault, never> {
  const random = createRandom(seed, "faults");
  const possible = all.filter(({ kind }) => withClocks || kind !== "clock");
  for (;;) {
    for (const what of random.shuffled(possible)) {
      const [shortest, longest] = lengths[what.kind];
      const times = { ms: random.between(shortest, longest), after: random.between(200, 1_800) };
      if (what.kind !== "clock") yield { ...what, ...times };
      else yield { ...what, ...times, seconds: random.pick([-600, -90, -5, 5, 90, 600]) };
    }
  }
}

/** A disturbance in words, e.g. `freeze worker-0 for 1200 ms`. */
export function nameOf(fault: Fault): string {
  const length = fault.ms > 0 ? ` for ${fault.ms} ms` : "";
  const offset = fault.kind === "clock" ? ` by ${fault.seconds} s` : "";
  return `${fault.kind} ${fault.on}${offset}${length}`;
}

/** Disturbs the world by one fault for its duration. */
export async function inflict(world: World, fault: Fault): Promise<Inflicted> {
  const from = Date.now();
  const undo = apply(world, fault);
  await Bun.sleep(fault.ms);
  // A run whose clock steps do nothing must not pass.
  if (fault.kind === "clock" && fault.on === "postgres") await demandStep(world.sql, fault.seconds);
  undo();
  return { fault, from, to: Date.now() };
}

/** @returns a function that ends the disturbance */
function apply({ gates, clocks, pidsOf }: World, fault: Fault): () => void {
  const signalAll = (pids: readonly number[], name: NodeJS.Signals) => {
    for (const pid of pids) signal(pid, name);
  };
  switch (fault.kind) {
    case "kill":
      signalAll(pidsOf(fault.on).slice(0, 1), "SIGKILL");
      return () => {};
    case "freeze": {
      const pids = pidsOf(fault.on);
      signalAll(pids, "SIGSTOP");
      return () => signalAll(pids, "SIGCONT");
    }
    case "cut":
      gates[fault.on].cut();
      return () => {};
    case "silence":
      gates[fault.on].silence();
      return () => {};
    case "shut":
      gates[fault.on].shut();
      return () => gates[fault.on].open();
    case "slow":
      gates[fault.on].delay(150);
      return () => gates[fault.on].delay(0);
    case "clock":
      clocks.set(fault.on, fault.seconds);
      return () => clocks.set(fault.on, 0);
  }
}
