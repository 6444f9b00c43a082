import type { SQL } from "bun";
import { loadConfig } from "../../../shared/process/config.ts";
import { connectFailFast, firstTry } from "../../../shared/queue/connections.ts";
import { commandQueue, openQueue } from "../../../shared/queue/queues.ts";
import { type AskedTodo, askUntil, mustAsk, wrongIn } from "../../support/chaos/asking.ts";
import { createRandom } from "../../support/chaos/random.ts";
import { callDoors } from "../../support/chaos/world.ts";
import { openPageDoor } from "../../support/page-door.ts";
import { patiently } from "../../support/patiently.ts";
import { eventually } from "../../support/reminder/stack.ts";
import { hasClocks } from "../../support/servers/clocked-postgres.ts";
import { check } from "./check/index.ts";
import { actAtRandom, noRows, prepare } from "./clients/actions.ts";
import { type Client, perform, type SharedRows } from "./clients/client.ts";
import { attempt } from "./clients/wire.ts";
import { startControl } from "./controls.ts";
import { gather, type Violation } from "./evidence.ts";
import { type Inflicted, inflict, nameOf, schedule } from "./faults.ts";
import { conclusionOf, createHistory, describe, type History, isWrite } from "./history.ts";
import { heal, startWorld, type World } from "./world.ts";

export type Options = Readonly<{
  seed: number;
  /** The run ends when that many writes are acknowledged and that many disturbances are over. */
  acks: number;
  faults: number;
  /** If set, the run ends after this many seconds instead. */
  seconds?: number;
  /** The deliberate fault of a run that must find it. */
  control?: string;
}>;

export type Result = Readonly<{
  options: Options;
  history: History;
  inflicted: readonly Inflicted[];
  violations: readonly Violation[];
  seconds: number;
}>;

/** Receives a line for people now and then. */
type Report = (line: string) => void;

type Run = Readonly<{ world: World; clients: readonly Client[]; history: History }>;

const users = 4;
const clientsOfUser = 3;
/** A run that takes longer will not reach its goal. */
const longestMs = 600_000;
/** The pause between two disturbances while hardly anything is acknowledged. */
const longestPauseMs = 10_000;

/** Clients write during disturbances. When all is healed, the tables are compared with the clients' answers. */
export async function runChaos(options: Options, report: Report = () => {}): Promise<Result> {
  const start = performance.now();
  const world = await startWorld();
  try {
    const history = createHistory();
    const clients = await startClients(world, history, options.seed);
    const approvals = await startApprovals(world, options.seed);
    const endControl = await startControl(options.control, world);
    const inflicted = await disturb({ world, clients, history }, options, report);
    await endControl();
    await approvals.end();
    const restless = await drain(world);
    const evidence = await gather(world.sql, history, inflicted);
    const violations = [
      ...restless,
      ...check(evidence),
      ...(await approvals.check()),
      ...(await checkRepeats(clients)),
    ];
    return { options, history, inflicted, violations, seconds: (performance.now() - start) / 1000 };
  } finally {
    await world.stop();
  }
}

async function startClients(world: World, history: History, seed: number): Promise<Client[]> {
  const clients: Client[] = [];
  for (let user = 0; user < users; user++) {
    const shared: SharedRows = { keyedTodo: 0, looseTodo: 0, contests: [] };
    const own = (await world.tokens(clientsOfUser)).map((token, index): Client => {
      const number = user * clientsOfUser + index;
      const random = createRandom(seed, `client ${number}`);
      return { number, user, history, random, shared, caller: { doors: world.doors, token } };
    });
    clients.push(...own);
    for (const client of own.slice(0, 1)) {
      shared.keyedTodo = await createShared(client, "keyed");
      shared.looseTodo = await createShared(client, "loose");
    }
  }
  return clients;
}

async function createShared(client: Client, name: string): Promise<number> {
  const mark = `shared ${name} ${client.user}`;
  const told = await perform(
    client,
    { kind: "create todo", title: mark, description: mark },
    { keyed: true },
  );
  if (told.verdict !== "done" || told.resource.id === undefined)
    throw new Error("Nothing works, undisturbed.");
  client.history.shared.todos.add(told.resource.id);
  return told.resource.id;
}

async function disturb(
  { world, clients, history }: Run,
  options: Options,
  report: Report,
): Promise<Inflicted[]> {
  const inflicted: Inflicted[] = [];
  let over = false;
  const working = clients.map(async (client) => {
    const own = noRows();
    await prepare(client, own);
    while (!over) {
      await actAtRandom(client, own);
      await Bun.sleep(client.random.between(0, 60));
    }
  });
  const pace = paceOf(options, history.acknowledged);
  for (const fault of schedule(options.seed, hasClocks)) {
    await Promise.all([Bun.sleep(fault.after), pace.next(inflicted.length)]);
    if (pace.isOver(inflicted.length)) break;
    report(`${history.acknowledged()} acknowledged, ${inflicted.length} disturbances; now: ${nameOf(fault)}`);
    inflicted.push(await inflict(world, fault));
  }
  over = true;
  heal(world);
  await Promise.all(working);
  return inflicted;
}

/** Spreads the disturbances over the wanted acknowledgements, or over a time. */
function paceOf({ seconds, acks, faults }: Options, acknowledgements: () => number) {
  const start = Date.now();
  const isLate = () => Date.now() - start > (seconds === undefined ? longestMs : seconds * 1_000);
  return {
    isOver: (inflicted: number) =>
      isLate() || (seconds === undefined && inflicted >= faults && acknowledgements() >= acks),
    async next(inflicted: number) {
      const enough = seconds === undefined ? Math.min(acks, (acks / faults) * (inflicted + 1)) : 0;
      const until = Date.now() + longestPauseMs;
      while (acknowledgements() < enough && !isLate() && Date.now() < until) await Bun.sleep(100);
    },
  };
}

const patienceMs = 20_000;
/** Longer than a dead worker's job needs to be found and run again. */
const quietMs = 5_000;

/**
 * Waits until the service is healthy, its queue is empty, and a while longer.
 * @returns the problem: a part stayed unhealthy, or something happened although no client asked
 */
async function drain({ doors, redisUrl, sql }: World): Promise<Violation[]> {
  const wrong: Violation[] = [];
  if (!(await isSoon(() => areReady(doors))))
    wrong.push({ kind: "queue", sentence: `Not ready ${patienceMs / 1000} s after all was well again.` });
  let waiting = {};
  const isEmpty = await isSoon(async () => {
    waiting = await waitingJobs(redisUrl);
    return Object.keys(waiting).length === 0;
  });
  if (!isEmpty)
    wrong.push({ kind: "queue", sentence: `The queue is not empty: ${JSON.stringify(waiting)}.` });
  const before = await digest(sql);
  await Bun.sleep(quietMs);
  const after = await digest(sql);
  const changed = Object.keys(before).filter((table) => before[table] !== after[table]);
  const late = changed.map((table): Violation => {
    return { kind: "late", sentence: `Something still changed ${table}, when nobody asked for anything.` };
  });
  return [...wrong, ...late];
}

const isSoon = (isSo: () => Promise<boolean>): Promise<boolean> =>
  eventually(() => isSo().catch(() => false), patienceMs).catch(() => false);

async function areReady(doors: readonly string[]): Promise<boolean> {
  const init = { keepalive: false, signal: AbortSignal.timeout(5_000) };
  const answers = await Promise.all(doors.map((door) => fetch(`${door}/health/ready`, init)));
  return answers.every(({ ok }) => ok);
}

/** The number of the queue's jobs in each state, without zeros. */
async function waitingJobs(redisUrl: string): Promise<Record<string, number>> {
  const connection = connectFailFast(redisUrl);
  // The connection refuses every command until it is open.
  await firstTry(connection);
  const queue = openQueue(commandQueue, { connection, queuePrefix: "kept" });
  try {
    await queue.waitUntilReady();
    const counts = await queue.getJobCounts("wait", "active", "delayed", "prioritized", "failed");
    return Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));
  } finally {
    await queue.close();
    connection.disconnect();
  }
}

const tables = ["todos", "habits", "habit_completions", "categories", "action_log"];

async function digest(sql: SQL): Promise<Record<string, string>> {
  const contents: Record<string, string> = {};
  for (const table of tables) {
    const [row] = await sql.unsafe(
      `select count(*) || ' ' || coalesce(sum(hashtextextended(t::text, 0)), 0) as content from ${table} t`,
    );
    contents[table] = row.content;
  }
  return contents;
}

const most = 200;

/**
 * Repeats the last acknowledged operations of every client under their keys at the end: each must get its outcome
 * again, marked as a repeat.
 */
async function checkRepeats(clients: readonly Client[]): Promise<Violation[]> {
  const each = Math.ceil(most / clients.length);
  const checked = await Promise.all(clients.map((client) => repeatLast(client, each)));
  return checked.flat();
}

async function repeatLast({ number, history, caller, random }: Client, count: number): Promise<Violation[]> {
  const done = history.operations.flatMap((operation) => {
    const told = conclusionOf(operation);
    const isOwn = operation.client === number && operation.key !== undefined && isWrite(operation);
    return isOwn && told.verdict === "done" ? [{ operation, told }] : [];
  });
  const wrong: Violation[] = [];
  for (const { operation, told } of done.slice(-count)) {
    const { answer } = await patiently(
      () => attempt(caller, operation, random.between(0, 1)),
      ({ answer }) => answer.verdict === "no",
    );
    const isSame =
      answer.verdict === "done" &&
      answer.replayed &&
      JSON.stringify(answer.resource) === JSON.stringify(told.resource);
    const sentence = `A repeat in the end was answered ${JSON.stringify(answer)}: ${describe(operation)}.`;
    if (!isSame) wrong.push({ kind: "repeat", sentence });
  }
  return wrong;
}

const agents = 3;

/** Agents that must ask for every change, and the person who decides as the account pages send it. */
async function startApprovals(world: World, seed: number) {
  const { sql, doors, gates } = world;
  const config = loadConfig({
    ...{ DATABASE_URL: gates["door-0 to postgres"].url, REDIS_URL: gates["door-0 to redis"].url },
    ...{ BASE_URL: doors[0] ?? "", AUTH_URL: doors[0] ?? "", LOG_LEVEL: "silent" },
  });
  const page = await openPageDoor({ config, clock: { now: undefined } });
  const [token = ""] = await world.tokens(1);
  const call = callDoors(doors, token);
  const random = createRandom(seed, "approvals");
  const userId = await mustAsk({ call, page, sql });
  const chance = () => random.between(0, 999) / 1_000;
  const asked: AskedTodo[] = [];
  let isOver = false;
  const asking = Array.from({ length: agents }, () =>
    askUntil({ call, page, sql, userId, chance }, asked, () => isOver),
  );
  return {
    /** Waits for the last decisions. */
    async end(): Promise<void> {
      isOver = true;
      await Promise.all(asking);
      await page.close();
    },
    async check(): Promise<Violation[]> {
      const wrong = asked.length > 0 ? await wrongIn(sql, asked) : ["Nobody could ask for anything."];
      return wrong.map((sentence) => ({ kind: "approval", sentence }));
    },
  };
}
