import { createRandom } from "../../support/chaos/random.ts";
import { hasClocks } from "../../support/servers/clocked-postgres.ts";
import { check } from "./check/index.ts";
import { actAtRandom, noRows, prepare } from "./clients/actions.ts";
import { startApprovals } from "./clients/approvals.ts";
import { type Client, perform, type SharedRows } from "./clients/client.ts";
import { checkRepeats } from "./clients/repeats.ts";
import { startControl } from "./controls.ts";
import { drain } from "./drain.ts";
import { gather, type Violation } from "./evidence.ts";
import { type Inflicted, inflict, nameOf, schedule } from "./faults.ts";
import { createHistory, type History } from "./history.ts";
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
