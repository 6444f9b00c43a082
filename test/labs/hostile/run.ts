import { existsSync, writeFileSync } from "node:fs";
import { setPriority } from "node:os";
import { join } from "node:path";
import type { Answer } from "../../harness.ts";
import { serviceOf } from "../../service/deploy/compose-file.ts";
import { msAt, type Sample, sample, succeeded, tally, times } from "../../support/chaos/samples.ts";
import { cookieOf } from "../../support/identity/browser.ts";
import { memory } from "../bench/footprint.ts";
import { programs } from "../bench/load/measure.ts";
import { type Goal, printGoals } from "../terminal.ts";
import type { Tally } from "./attacker.ts";
import { newPerson, type Person, type Site, toolCall } from "./person.ts";
import { type Stored, startService } from "./service.ts";

const people = 10;
const calmSeconds = 60;
const settleMs = 3_000;

/**
 * `npm run chaos -- --hostile [--seconds 120] [--only WORDS]`: one stranger and one free account do their worst beside
 * ten ordinary people.
 * @returns whether the ten were served as in calm, and the service kept within its bounds
 */
export async function runHostile(seconds = 120, only = ""): Promise<boolean> {
  const service = await startService();
  const receiver = startReceiver();
  try {
    const persons: Person[] = [];
    while (persons.length < people) {
      const person = await newPerson(service, `198.51.100.${persons.length + 1}`);
      const webhook = { url: receiver.urlFor(person), events: ["todo.*"] };
      await restOf(service, person)("POST", "/webhooks", webhook);
      persons.push(person);
    }
    // These people stay between the phases: after a pause, all their tokens would be looked up in the same second.
    const endLives = keepLiving(service, persons, receiver.made);
    await Bun.sleep(settleMs);
    const isCalm = await phase(calmSeconds * 1_000);
    const stopAttacker = await startAttacker(service, only);
    const before = await service.stored();
    const stopWatching = watchMemory();
    const isAttacked = await phase(seconds * 1_000);
    const lived = await endLives();
    const posted = await receiver.end();
    const peaks = stopWatching();
    const after = await service.stored();
    printOutcomes(await stopAttacker());
    const newcomer = await newPerson(service, "198.51.100.99").then(
      () => "signed in",
      (error: Error) => error.message,
    );
    const goals = [
      ...goalsOf("ordinary requests answered 2xx", lived.filter(isCalm), lived.filter(isAttacked)),
      ...goalsOf("their changes posted by webhooks", posted.filter(isCalm), posted.filter(isAttacked)),
      { what: "somebody new", found: newcomer, goal: "signed in", ok: newcomer === "signed in" },
      ...goalsOfMemory(peaks),
      goalOfDisk(before, after),
    ];
    printGoals(goals);
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

/** @returns a function that stops it, and answers what it saw */
async function startAttacker({ baseUrl }: Site, only: string): Promise<() => Promise<Tally>> {
  const started = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<Tally>();
  const command = [process.execPath, join(import.meta.dir, "attacker.ts"), baseUrl, only];
  const child = Bun.spawn(command, {
    detached: true,
    stdio: ["ignore", "inherit", "inherit"],
    ipc(message: "ready" | Tally) {
      if (message === "ready") started.resolve();
      else ended.resolve(message);
    },
  });
  // An attacker has its own machine; here it gets the processor time that the service leaves. Linux may weigh sessions.
  setPriority(child.pid, 19);
  if (existsSync("/proc/self/autogroup")) writeFileSync(`/proc/${child.pid}/autogroup`, "19");
  child.exited.then(() => {
    started.reject(new Error("The attacker did not start."));
    ended.resolve({});
  });
  await started.promise;
  return () => {
    child.send("stop");
    return ended.promise;
  };
}

const { api, workers } = programs;
const roles = { api, workers };

/** @returns a function that ends the watch, and answers the most that each role took (MB) */
function watchMemory(): () => Record<string, number> {
  const peaks: Record<string, number> = {};
  const timer = setInterval(() => {
    for (const [role, mb] of Object.entries(memory(roles))) peaks[role] = Math.max(peaks[role] ?? 0, mb);
  }, 500);
  return () => {
    clearInterval(timer);
    return peaks;
  };
}

const slowerAtMost = 3;

function goalsOf(what: string, calm: readonly Sample[], attacked: readonly Sample[]): Goal[] {
  const failures = attacked.filter((one) => !succeeded(one));
  const served = 1 - failures.length / attacked.length;
  const slower = msAt(attacked, 0.99) / msAt(calm, 0.99);
  return [
    {
      what,
      found: `${(served * 100).toFixed(2)} % of ${attacked.length}; others: ${tally(failures)}`,
      goal: "≥ 99.9 %",
      ok: served >= 0.999,
    },
    {
      what: "their p99 beside calm",
      found: `${slower.toFixed(1)} × (${times(calm)}; now ${times(attacked)})`,
      goal: `≤ ${slowerAtMost} ×`,
      ok: slower <= slowerAtMost,
    },
  ];
}

/** The receiver of the people's webhooks. A sample is the time from the answer to a new todo until its first post. */
function startReceiver() {
  const [made, posted] = [new Map<string, number>(), new Map<string, number>()];
  const server = Bun.serve({
    port: 0,
    async fetch(request) {
      const { data } = (await request.json()) as { data: { id: number } };
      const post = `${new URL(request.url).pathname} ${data.id}`;
      posted.set(post, posted.get(post) ?? performance.now());
      return new Response();
    },
  });
  return {
    urlFor: ({ email }: Person) => `http://127.0.0.1:${server.port}/${email}`,
    made: ({ email }: Person, id: number) => void made.set(`/${email} ${id}`, performance.now()),
    /** Waits for the last posts. */
    async end(): Promise<Sample[]> {
      const isLate = () => [...made.keys()].some((post) => !posted.has(post));
      for (const from = Date.now(); isLate() && Date.now() - from < 45_000; ) await Bun.sleep(100);
      return [...made].map(([post, startedAt]) => {
        const ms = Math.max(0, (posted.get(post) ?? Number.POSITIVE_INFINITY) - startedAt);
        return { outcome: Number.isFinite(ms) ? "200" : "lost", ms, startedAt };
      });
    },
  };
}

/** The limits that compose.yaml gives to each role. */
function goalsOfMemory(peaks: Readonly<Record<string, number>>): Goal[] {
  return Object.keys(roles).map((role) => {
    const mb = peaks[role] ?? Number.NaN;
    const most = (Number.parseInt(serviceOf(role).deploy?.resources.limits.memory ?? "", 10) * 2 ** 20) / 1e6;
    return { what: `memory of ${role}`, found: inMb(mb), goal: `≤ ${inMb(most)}`, ok: mb <= most };
  });
}

const inMb = (mb: number): string => `${mb.toFixed(0)} MB`;

/** Indexes, free space in pages and old versions of rows, which do not count as kept (MB). */
const besideKept = 32;

/** The disk holds what accounts keep, and little more. */
function goalOfDisk(before: Stored, after: Stored): Goal {
  const grown = (after.database - before.database) / 1e6;
  const most = (after.accounts - before.accounts) / 1e6 + besideKept;
  const goal = `≤ ${inMb(most)}, of which ${inMb(besideKept)} beside what accounts keep`;
  return { what: "growth of the database", found: inMb(grown), goal, ok: grown <= most };
}

function printOutcomes(outcomes: Tally): void {
  console.log("\nWhat the hostile two did, by outcome:\n");
  for (const [name, counts] of Object.entries(outcomes)) {
    const words = Object.entries(counts).map(([outcome, count]) => `${count} × ${outcome}`);
    console.log(`- ${name}: ${words.join(", ") || "nothing"}`);
  }
  console.log("");
}

const patienceMs = 10_000;

/**
 * An ordinary person's requests: some over REST, more by an agent, now and then a page. All stay within the limits.
 * Each made thing is deleted again, so that later requests read as much as earlier ones.
 */
function keepLiving(
  site: Site,
  people: readonly Person[],
  onMade: (person: Person, todo: number) => void,
): () => Promise<Sample[]> {
  const samples: Sample[] = [];
  let over = false;
  /** Pauses differ, because after one common delay equal pauses would make everybody call in the same moment. */
  const repeat = async (everyMs: number, calls: readonly Call[], person: Person) => {
    const pause = () => Bun.sleep(2 * everyMs * Math.random());
    let made = 0;
    await pause();
    for (let turn = 0; !over; turn++) {
      const call = calls[turn % calls.length] as Call;
      const calling = call(made);
      samples.push(await sample(() => calling));
      const answer = await calling.catch(() => undefined);
      const id = idIn(answer) ?? made;
      if (id !== made && (answer?.body.title || answer?.body.result)) onMade(person, id);
      made = id;
      await pause();
    }
  };
  const all = people.flatMap((person) => [
    repeat(1_300, restCalls(site, person), person),
    repeat(700, toolCalls(site, person), person),
    repeat(2_500, [() => openPage(site, person)], person),
  ]);
  return async () => {
    over = true;
    await Promise.all(all);
    return samples;
  };
}

/** One request of a person, who may need the id of the thing that they `made` last. */
type Call = (made: number) => Promise<Answer>;

/** An answer over MCP has an `id` too, that of its message. */
const idIn = (answer: Answer | undefined): number | undefined =>
  answer?.body?.result ? answer.body.result.structuredContent?.todo?.id : answer?.body?.id;

const restOf =
  ({ baseUrl }: Site, { headers }: Person) =>
  (method: string, path: string, body?: object) =>
    send(`${baseUrl}/api/v1${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });

function restCalls(site: Site, person: Person): Call[] {
  const call = restOf(site, person);
  return [
    () => call("GET", "/todos"),
    () => call("POST", "/todos", { title: "Water the plants" }),
    (made) => call("DELETE", `/todos/${made}`),
    () => call("GET", "/dashboard"),
    () => call("POST", "/habits", { name: "Walk", type: "good", frequency: "daily" }),
    (made) => call("DELETE", `/habits/${made}`),
  ];
}

function toolCalls({ baseUrl }: Site, { headers }: Person): Call[] {
  const call = async (name: string, args: object) => {
    const answer = await send(`${baseUrl}/mcp`, { method: "POST", headers, body: toolCall(name, args) });
    return answer.body?.result?.isError ? { ...answer, status: 500 } : answer;
  };
  return [
    () => call("create-todo", { title: "Call the bank" }),
    () => call("get-pending-todos", { limit: 5 }),
    (made) => call("delete-todo", { todo_id: made }),
    () => call("get-today-habits", {}),
  ];
}

function openPage({ baseUrl }: Site, { account, headers: { "x-forwarded-for": network = "" } }: Person) {
  const headers = { cookie: cookieOf(account), accept: "text/html", "x-forwarded-for": network };
  return send(`${baseUrl}/account`, { headers, redirect: "manual" });
}

async function send(address: string, init: RequestInit): Promise<Answer> {
  const response = await fetch(address, { ...init, signal: AbortSignal.timeout(patienceMs) });
  const { status, headers } = response;
  const text = await response.text();
  const isJson = headers.get("content-type")?.includes("json") ?? false;
  return { status, headers, body: isJson && text ? JSON.parse(text) : undefined };
}
