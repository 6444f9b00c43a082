import { createRandom } from "../../support/chaos/random.ts";

export const parts = ["door-0", "door-1", "worker-0", "worker-1", "redis", "postgres", "identity"] as const;
/** A process of the service, or one of its servers. */
export type Part = (typeof parts)[number];

const doors = ["door-0", "door-1"] as const;
const workers = ["worker-0", "worker-1"] as const;
const servers = ["redis", "postgres"] as const;

/** libfaketime and the allocator that Redis is built with do not go together. */
const withClocks = parts.filter((part) => part !== "redis");

/** The connections of the service, each through a gate of its own. */
export const ways = [
  ...doors.map((door) => `clients to ${door}` as const),
  ...[...doors, ...workers].flatMap((part) => servers.map((server) => `${part} to ${server}` as const)),
  "doors to identity",
] as const;
export type Way = (typeof ways)[number];

/** One disturbance: `ms` is its duration, `after` the time until the next one. */
export type Fault = Readonly<{ ms: number; after: number }> &
  (
    | Readonly<{ kind: "kill"; on: Part }>
    /** SIGSTOP, then SIGCONT. */
    | Readonly<{ kind: "freeze"; on: Part }>
    /** `cut`: once; `silence`: until somebody notices; `shut`: for a while; `slow`: delays each packet. */
    | Readonly<{ kind: "cut" | "silence" | "shut" | "slow"; on: Way }>
    /** The clock is wrong by this many seconds. */
    | Readonly<{ kind: "clock"; on: Part; seconds: number }>
  );

const lengths = {
  kill: [0, 0],
  freeze: [300, 4_500],
  cut: [0, 0],
  silence: [0, 0],
  shut: [300, 2_500],
  slow: [500, 2_000],
  clock: [1_500, 4_000],
} as const;

const offsets = [-600, -90, -5, 5, 90, 600] as const;

/** Endless disturbances, the same for the same seed: all faults of all targets once in random order, then again. */
export function* schedule(seed: number, { clocks }: { clocks: boolean }): Generator<Fault, never> {
  const random = createRandom(seed, "faults");
  for (;;) {
    for (const { kind, on } of random.shuffled(kindsAndVictims(clocks))) {
      const [shortest, longest] = lengths[kind];
      const ms = random.between(shortest, longest);
      const after = random.between(200, 1_800);
      yield { kind, on, ms, after, ...(kind === "clock" && { seconds: random.pick(offsets) }) } as Fault;
    }
  }
}

function kindsAndVictims(clocks: boolean): Pick<Fault, "kind" | "on">[] {
  const onParts = (kind: "kill" | "freeze" | "clock", of: readonly Part[] = parts) =>
    of.map((on) => ({ kind, on }));
  const onWays = (kind: "cut" | "silence" | "shut" | "slow", of: readonly Way[] = ways) =>
    of.map((on) => ({ kind, on }));
  return [
    // These parts die most often in production.
    ...onParts("kill"),
    ...onParts("kill"),
    ...onParts("freeze"),
    ...onWays("cut"),
    ...onWays("silence"),
    ...onWays("shut", ["door-0 to redis", "worker-1 to redis", "door-1 to postgres", "worker-0 to postgres"]),
    ...onWays("slow", ["clients to door-0", "door-1 to redis", "worker-0 to redis", "worker-1 to postgres"]),
    ...(clocks ? onParts("clock", withClocks) : []),
  ];
}

/** A disturbance in words, e.g. `freeze worker-0 for 1200 ms`. */
export function nameOf(fault: Fault): string {
  const length = fault.ms > 0 ? ` for ${fault.ms} ms` : "";
  const offset = fault.kind === "clock" ? ` by ${fault.seconds} s` : "";
  return `${fault.kind} ${fault.on}${offset}${length}`;
}
