import { join } from "node:path";
import { parseArgs } from "node:util";
import { lowerPriority } from "../../../api/identity/priority.ts";
import { serviceOf } from "../../service/deploy/compose-file.ts";
import { msAt, type Sample, succeeded, tally, times } from "../../support/chaos/samples.ts";
import { type Goal, printGoals } from "../goals.ts";
import type { Tally } from "./attacker.ts";
import { keepLiving } from "./ordinary.ts";
import { newPerson, type Person } from "./person.ts";
import { type Service, type Stored, startService } from "./service.ts";

const people = 10;
const calmSeconds = 60;
const settleMs = 3_000;

type Options = Readonly<{ seconds: number; only: string | undefined }>;

/** @returns undefined unless `--hostile` is among the arguments */
export function readHostileOptions(args: readonly string[]): Options | undefined {
  if (!args.includes("--hostile")) return undefined;
  const { values } = parseArgs({
    args: [...args],
    options: {
      hostile: { type: "boolean" },
      seconds: { type: "string", default: "120" },
      only: { type: "string" },
    },
  });
  return { seconds: Number(values.seconds), only: values.only };
}

/**
 * `npm run chaos -- --hostile [--seconds 120] [--only WORDS]`: one stranger and one free account do their worst beside
 * ten ordinary people.
 * @returns whether the ten were served as in calm, and the service kept within its bounds
 */
export async function runHostile({ seconds, only }: Options): Promise<boolean> {
  const service = await startService();
  try {
    const names = Array.from({ length: people }, (_, index) => `198.51.100.${index + 1}`);
    const persons: Person[] = [];
    for (const network of names) persons.push(await newPerson(service, network));
    // These people stay between the phases: after a pause, all their tokens would be looked up in the same second.
    const endLives = keepLiving(service, persons);
    await Bun.sleep(settleMs);
    const isCalm = await phase(calmSeconds * 1_000);
    const attacker = await startAttacker(service, only);
    const before = await service.stored();
    const memory = watchMemory(service);
    const isAttacked = await phase(seconds * 1_000);
    const lived = await endLives();
    const [calm, samples] = [lived.filter(isCalm), lived.filter(isAttacked)];
    const peaks = memory.stop();
    const after = await service.stored();
    const outcomes = await attacker.stop();
    const newcomer = await newPerson(service, "198.51.100.99").then(
      () => "signed in",
      (error: Error) => error.message,
    );
    const goals = [
      ...goalsOfPeople(calm, samples, newcomer),
      ...goalsOfMemory(peaks),
      goalOfDisk(before, after),
    ];
    printReport(outcomes, goals);
    return goals.every(({ ok }) => ok);
  } finally {
    await service.stop();
  }
}

/** @returns whether a call began during this wait */
async function phase(ms: number): Promise<(sample: Sample) => boolean> {
  const from = performance.now();
  await Bun.sleep(ms);
  const until = performance.now();
  return ({ startedAt }) => startedAt >= from && startedAt < until;
}

async function startAttacker({ baseUrl, authUrl }: Service, only: string | undefined) {
  const started = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<Tally>();
  const args = ["--base", baseUrl, "--auth", authUrl, ...(only ? ["--only", only] : [])];
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "attacker.ts"), ...args], {
    detached: true,
    stdio: ["ignore", "inherit", "inherit"],
    ipc(message: "ready" | Tally) {
      if (message === "ready") started.resolve();
      else ended.resolve(message);
    },
  });
  // An attacker has its own machine; here it gets the processor time that the service leaves.
  lowerPriority(19, child.pid);
  child.exited.then(() => {
    started.reject(new Error("The attacker did not start."));
    ended.resolve({});
  });
  await started.promise;
  return {
    async stop() {
      child.send("stop");
      return ended.promise;
    },
  };
}

function watchMemory({ memory }: Service) {
  const peaks: Record<string, number> = {};
  const timer = setInterval(() => {
    for (const [role, bytes] of Object.entries(memory())) peaks[role] = Math.max(peaks[role] ?? 0, bytes);
  }, 500);
  return {
    stop() {
      clearInterval(timer);
      return peaks;
    },
  };
}

const slowerAtMost = 3;

function goalsOfPeople(calm: readonly Sample[], samples: readonly Sample[], newcomer: string): Goal[] {
  const served = samples.filter(succeeded).length / samples.length;
  const failures = samples.filter((one) => !succeeded(one));
  const slower = msAt(samples, 0.99) / msAt(calm, 0.99);
  return [
    {
      what: "ordinary requests answered 2xx",
      found: `${(served * 100).toFixed(2)} % of ${samples.length}; others: ${tally(failures)}`,
      goal: "≥ 99.9 %",
      ok: served >= 0.999,
    },
    {
      what: "their p99 beside calm",
      found: `${slower.toFixed(1)} × (${times(calm)}; now ${times(samples)})`,
      goal: `≤ ${slowerAtMost} ×`,
      ok: slower <= slowerAtMost,
    },
    { what: "somebody new", found: newcomer, goal: "signed in", ok: newcomer === "signed in" },
  ];
}

/** The limits that compose.yaml gives to each role. */
function goalsOfMemory(peaks: Readonly<Record<string, number>>): Goal[] {
  return Object.entries(peaks).map(([role, bytes]) => {
    const limit = Number.parseInt(serviceOf(role).deploy?.resources.limits.memory ?? "", 10) * 2 ** 20;
    return {
      what: `memory of ${role} at most`,
      found: megabytes(bytes),
      goal: `≤ ${megabytes(limit)}`,
      ok: bytes <= limit,
    };
  });
}

const megabytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(0)} MB`;

/** Indexes, free space in pages and old versions of rows, which the ledger does not count (bytes). */
const besideLedger = 32 * 2 ** 20;

/** The disk holds the bytes of the ledger, and little more. */
function goalOfDisk(before: Stored, after: Stored): Goal {
  const grown = after.database - before.database;
  const most = after.ledger - before.ledger + besideLedger;
  return {
    what: "growth of the database",
    found: megabytes(grown),
    goal: `≤ ${megabytes(most)}, of which ${megabytes(besideLedger)} beside the ledger`,
    ok: grown <= most,
  };
}

function printReport(outcomes: Tally, goals: readonly Goal[]): void {
  console.log("\nWhat the hostile two did, by outcome:\n");
  for (const [name, counts] of Object.entries(outcomes)) {
    const words = Object.entries(counts).map(([outcome, count]) => `${count} × ${outcome}`);
    console.log(`- ${name}: ${words.join(", ") || "nothing"}`);
  }
  console.log("");
  printGoals(goals);
}
