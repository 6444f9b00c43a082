import { beforeAll, describe, expect, test } from "bun:test";
import { RedisClient, type SQL } from "bun";
import { type AskedTodo, askUntil, mustAsk, wrongIn } from "../../support/chaos/asking.ts";
import { createRandom, type Random } from "../../support/chaos/random.ts";
import { pidsOf } from "../../support/chaos/roles.ts";
import { type Call, type Page, startWorld, type Victim } from "../../support/chaos/world.ts";
import { expectExactlyOnce, untilAnswered, type Written, writeUntil } from "../../support/chaos/writer.ts";
import { apply, bringUpToDate, type Copy, expectEqual, newCopy } from "../../support/copies/copy.ts";
import { followChanges } from "../../support/copies/followed.ts";
import { eventually } from "../../support/reminder/stack.ts";
import { signal } from "../../support/servers/signal.ts";
import { expectGroupsOnce, sendGroups } from "./loads/groups.ts";
import { openReceiver, startWebhook } from "./loads/webhooks.ts";
import {
  expectImported,
  expectMoved,
  fillMover,
  killUntilEnded,
  slowDown,
  speedUp,
  stageImport,
} from "./loads/works.ts";

/** CHANGES=10000 KILLS=20 is the figure of docs/measurements.md; `npm run lab -- copies` has 60 kills. */
const changes = Number(Bun.env.CHANGES ?? 240);
const kills = Number(Bun.env.KILLS ?? 4);
const seed = Number(Bun.env.SEED ?? 1);

/** A zone where it is about noon, so that no day ends meanwhile: streaks and overdue todos depend on the day. */
const offset = new Date().getUTCHours() - 12;
const DEFAULT_TIME_ZONE = offset === 0 ? "UTC" : `Etc/GMT${offset > 0 ? "+" : ""}${offset}`;
const world = await startWorld("killed", { DEFAULT_TIME_ZONE, WEBHOOK_ALLOW_LOOPBACK: "yes" });
const { sql, kill, callAs } = world;
const page: Page = await world.openPage();

const away = { status: 503, headers: new Headers(), body: undefined };

/** Runs work that goes on until the disturbances are over. @returns its result, then */
function beginning<Result>(work: (isOver: () => boolean) => Promise<Result>) {
  let isOver = false;
  const working = work(() => isOver);
  return () => {
    isOver = true;
    return working;
  };
}

test("long works whose workers are killed again and again end, and each row is changed once, by one action", async () => {
  const { move, leave } = await fillMover(page, sql, "mover");
  const stranger = await callAs("stranger");
  const stop = beginning(async (isOver) => {
    let made = 0;
    for (; !isOver(); await Bun.sleep(50))
      if ((await stranger("POST", "/todos", { body: { title: "Beside" } }).catch(() => away)).status === 201)
        made++;
    return made;
  });
  await slowDown(sql, "mover");
  const staged = await stageImport(page, "importer");
  await move();
  await untilAnswered(
    () => page.send("importer", "import.apply", staged),
    ({ applied }) => applied !== "no",
  );
  const killed = [await killUntilEnded(sql, () => kill("workers"))];
  await leave();
  killed.push(await killUntilEnded(sql, () => kill("workers")));
  expect(Math.min(...killed)).toBeGreaterThan(1);
  expect(await stop()).toBeGreaterThan(10);
  await speedUp(sql);
  await expectMoved(sql, "mover");
  await expectImported(page, sql, "importer");
});

describe("kill -9 of any part, each in turn and twice, and a Redis that forgets everything", () => {
  let written: Written[] = [];
  let groups: Awaited<ReturnType<typeof sendGroups>> = new Map();
  let turns = 0;
  const asked: AskedTodo[] = [];
  /** The number of requests with the rarest decision. */
  const fewest = () =>
    Math.min(
      ...["approved", "declined", "expired"].map(
        (one) => asked.filter(({ decision }) => decision === one).length,
      ),
    );

  beforeAll(async () => {
    let onUndo = () => {};
    const undoSent = () =>
      new Promise<void>((resolve) => {
        onUndo = resolve;
      });
    const [writer, grouper, undoer, asker] = await Promise.all(
      ["writer", "grouper", "undoer", "asker"].map(callAs),
    );
    if (!writer || !grouper || !undoer || !asker) throw new Error("no callers");
    const asking = {
      call: asker,
      page,
      sql,
      userId: await mustAsk({ call: asker, page, sql }),
      chance: Math.random,
    };
    const undoing = { call: undoer, page, sql, userId: "undoer", onUndo: () => onUndo() };
    const stop = beginning((isOver) =>
      Promise.all([
        Promise.all(Array.from({ length: 4 }, (_, index) => writeUntil(writer, index, isOver))),
        sendGroups(grouper, isOver),
        deleteAndUndo(undoing, isOver),
        Promise.all(Array.from({ length: 4 }, () => askUntil(asking, asked, isOver))),
      ]),
    );
    const victims: Victim[] = ["workers", "api", "redis", "postgres"];
    for (const victim of [...victims, ...victims]) {
      await Bun.sleep(600);
      await kill(victim);
    }
    for (const delayMs of [0, 10, 40]) {
      await undoSent();
      await Bun.sleep(delayMs);
      await kill("workers");
    }
    for (const victim of victims) await kill(victim);
    await eventually(() => fewest() > 1);
    const redis = new RedisClient(world.redisUrl);
    for (let times = 0; times < 5; times++) {
      await Bun.sleep(200 + 50 * times);
      // A server that has just come back loads its data first.
      await eventually(() => redis.send("FLUSHALL", []).catch(() => undefined));
    }
    redis.close();
    await Bun.sleep(500);
    [written, groups, turns] = await stop();
  });

  test("lose and double no acknowledged write", async () => {
    expect(written.reduce((sum, { retries }) => sum + retries, 0)).toBeGreaterThan(0);
    expectExactlyOnce(await sql`select id, title, is_completed from todos where user_id = 'writer'`, written);
  });

  test("lose and double no operation of a group", () => expectGroupsOnce(sql, "grouper", groups));

  test("let each undo happen once", () => expectUndoneOnce(sql, "undoer", turns));

  test("let each approved change happen once, and each declined or expired one never", async () => {
    expect(await wrongIn(sql, asked)).toEqual([]);
  });
});

/** A copy that the stream alone keeps, and that comes back after each kill. */
async function followStream(token: string, copy: Copy, isOver: () => boolean): Promise<void> {
  for (let door = 0; !isOver(); door++) {
    const baseUrl = world.baseUrls[door % 2] ?? "";
    const follow = followChanges(baseUrl, token, copy.cursor, (event) => apply(copy, event));
    const stream = await follow.catch(() => undefined);
    while (stream && !stream.isOver() && !isOver()) await Bun.sleep(20);
    stream?.close();
    await Bun.sleep(50);
  }
}

describe(`${kills} kills of workers and doors, one at a time, under all kinds of changes`, () => {
  const copies = Array.from({ length: 5 }, newCopy);
  const random = createRandom(seed, "kills");
  const receiving = openReceiver();
  let webhook: Awaited<ReturnType<typeof startWebhook>>;

  const copierGet = async () => {
    const call = await callAs("copier");
    return (door: number) => (path: string) => call("GET", path, { door }).catch(() => away);
  };

  beforeAll(async () => {
    const [copier, getAt] = [await callAs("copier"), await copierGet()];
    const token = await world.roles.issuer.token({ sub: "copier" });
    const [streamed = newCopy(), ...polled] = copies;
    let done = 0;
    const stopFollowing = beginning((isOver) => followStream(token, streamed, isOver));
    const stop = beginning((isOver) =>
      Promise.all([
        ...Array.from({ length: 5 }, (_, writer) =>
          writeAtRandom(copier, createRandom(seed, `writer ${writer}`), isOver, () => {
            done += 1;
          }),
        ),
        ...polled.map(async (copy, reader) => {
          for (let turn = reader; !isOver(); turn++) {
            await bringUpToDate(getAt(turn), copy);
            await Bun.sleep(20 * (reader + 1));
          }
        }),
      ]),
    );
    webhook = await startWebhook(receiving, { call: world.call, sql, random, changes });
    for (let kill = 1; kill <= kills; kill++) {
      await eventually(() => webhook.progress() >= kill / (kills + 1) && done >= 12 * kill);
      const role = kill % 4 === 0 ? "api" : "workers";
      // The other process of that role stays, so that writes continue.
      const pids = await eventually(() => pidsOf(role).length > 1 && pidsOf(role));
      signal(random.pick(pids), "SIGKILL");
    }
    await webhook.written;
    await stop();
    const last = await untilAnswered(
      () => copier("POST", "/todos", { key: "last", body: { title: "The last" } }),
      ({ status }) => status === 201,
    );
    await eventually(() => streamed.resources.has(`todo ${last.body.id}`));
    await stopFollowing();
  });

  test("leave each copy as what is stored, whether it was polled or streamed, without beginning anew", async () => {
    await expectEqual((await copierGet())(1), ...copies);
    expect(copies.map(({ timesBegun }) => timesBegun)).toEqual([0, 1, 1, 1, 1]);
  });

  test("keep the newest state of each thing and their order from no webhook", () =>
    webhook.expectAllInOrder());

  test("and a crash of PostgreSQL makes copies begin anew, while a webhook that was off hears of a deletion before it", async () => {
    const [get, copy] = [(await copierGet())(0), newCopy()];
    const [hook] = (await world.call("GET", "/webhooks")).body.data;
    const turn = (is_active: boolean) => world.call("PATCH", `/webhooks/${hook.id}`, { body: { is_active } });
    const { id } = (await world.call("POST", "/todos", { body: { title: "1" } })).body;
    const isHeard = (type: string) =>
      receiving.receiver.received.some(({ event }) => event.type === type && event.data.id === id);
    await eventually(() => isHeard("todo.changed"));
    await turn(false);
    await world.call("DELETE", `/todos/${id}`);
    await bringUpToDate(get, copy);
    await kill("postgres");
    await untilAnswered(
      () => turn(true),
      ({ status }) => status === 200,
    );
    await eventually(() => isHeard("todo.deleted"));
    const isRefused = async () => (await get(`/changes?cursor=${copy.cursor}`)).status === 422;
    await eventually(isRefused);
    await expectEqual(get, copy);
    expect(copy.timesBegun).toBe(2);
  });
});

type Ids = Readonly<{ todos: number[]; habits: number[]; categories: number[] }>;

const colors = ["#16a34a", "#dc2626", "#2563eb"];
const titles = ["Sweep", "Call Grace", "Buy bread", "Read"];

/** Makes fields and paths of random content. */
function choicesOf(random: Random, { todos, habits, categories }: Ids) {
  const one = (ids: readonly number[]) => (ids.length > 0 ? random.pick(ids) : 1);
  const some = (ids: readonly number[]) => (ids.length > 0 && random.chance(0.7) ? random.pick(ids) : null);
  return {
    title: random.pick(titles),
    color: random.pick(colors),
    category_id: some(categories),
    todo: `/todos/${one(todos)}`,
    habit: `/habits/${one(habits)}`,
    category: `/categories/${one(categories)}`,
  };
}

type Choices = ReturnType<typeof choicesOf>;
type MakeRequest = (
  choices: Choices,
  random: Random,
) => readonly [method: string, path: string, body?: object];

const soon = (random: Random): string => new Date(Date.now() + random.between(200, 3_000)).toISOString();
const daily = (random: Random) => ({
  due_date: "2099-01-01",
  recurrence: random.chance(0.3) ? "FREQ=DAILY" : null,
});
const walk = { name: "Walk", type: "good", frequency: "daily" };

/** All kinds of changes that a client's copy has. Workers make some too, because some reminders are due soon. */
const requests: readonly MakeRequest[] = [
  ({ title, category_id }, random) => ["POST", "/todos", { title, category_id, ...daily(random) }],
  ({ title }) => ["POST", "/todos", { title }],
  ({ todo, title }, random) => ["PATCH", todo, { title: `${title} ${random.between(1, 99)}` }],
  ({ todo, category_id }) => ["PATCH", todo, { category_id }],
  ({ todo }) => ["POST", `${todo}/toggle`],
  ({ todo }) => ["POST", `${todo}/toggle`],
  ({ todo }, random) => ["PUT", `${todo}/reminder`, { remind_at: soon(random) }],
  ({ todo }) => ["DELETE", `${todo}/reminder`],
  ({ todo }) => ["DELETE", todo],
  ({ category_id }) => ["POST", "/habits", { ...walk, category_id }],
  ({ habit }) => ["POST", `${habit}/complete`],
  ({ habit }) => ["DELETE", `${habit}/complete`],
  ({ habit, title: name }, random) => ["PATCH", habit, { grace_days: random.between(0, 3), name }],
  ({ habit }) => ["DELETE", habit],
  ({ title: name }) => ["POST", "/categories", { name }],
  ({ category, title: name, color }) => ["PATCH", category, { name, color }],
  ({ category }) => ["DELETE", category],
];

/**
 * Sends one random request after another, regardless of results.
 * @param onDone is called after each successful one
 * @throws on an answer that no kill excuses
 */
async function writeAtRandom(
  call: Call,
  random: Random,
  isOver: () => boolean,
  onDone: () => void,
): Promise<void> {
  const ids: Ids = { todos: [], habits: [], categories: [] };
  while (!isOver()) {
    const [method, path, body] = random.pick(requests)(choicesOf(random, ids), random);
    const away = { status: 503, body: undefined };
    const options = { door: random.between(0, 1), ...(body && { body }) };
    const { status, body: told } = await call(method, path, options).catch(() => away);
    if (status >= 500 && status !== 503)
      throw new Error(`${method} ${path}: ${status} ${JSON.stringify(told)}`);
    if (status < 300) onDone();
    for (const list of ["todos", "habits", "categories"] as const)
      if (status === 201 && path === `/${list}`) ids[list].push(told.id);
    await Bun.sleep(status === 503 ? 20 : 10);
  }
}

const together = 5;

type Undoing = Readonly<{
  call: Call;
  page: Page;
  sql: SQL;
  userId: string;
  /** Is called when an undo is sent. */
  onUndo(): void;
}>;

/** A person deletes five todos and undoes all of it, again and again. @returns the number of turns */
async function deleteAndUndo({ call, page, sql, userId, onUndo }: Undoing, isOver: () => boolean) {
  const insist = (method: string, path: string, status: number, body?: object) => {
    const key = crypto.randomUUID();
    return untilAnswered(
      () => call(method, path, { key, body }),
      (answer) => answer.status === status,
    );
  };
  const each = <Result>(work: (index: number) => Promise<Result>) =>
    Promise.all(Array.from({ length: together }, (_, index) => work(index)));
  let turns = 0;
  for (; !isOver(); turns++) {
    const fields = (index: number) => ({ title: `Todo ${turns}-${index}`, recurrence: "FREQ=DAILY" });
    const made = await each((index) => insist("POST", "/todos", 201, fields(index)));
    const paths = made.map(({ body }) => `/todos/${body.id}`);
    await each((index) => insist("DELETE", paths[index] ?? "", 204));
    const actions = await untilAnswered(
      () => sql`select called_at::text, request_id from action_log where user_id = ${userId}
        and tool = 'todo.delete' and undone_by is null order by called_at desc, request_id desc`,
      (rows) => rows.length > 0,
    );
    expect(actions).toHaveLength(together);
    onUndo();
    const { ends } = await untilAnswered(
      () => page.send(userId, "action.undo", { actions: [...actions] }),
      (answer) => "ends" in answer,
    );
    expect(ends).toHaveLength(together);
  }
  return turns;
}

async function expectUndoneOnce(sql: SQL, userId: string, turns: number) {
  expect(turns).toBeGreaterThan(2);
  const [row] = await sql`
    select (select count(*)::int from todos where user_id = ${userId}) as todos,
      (select count(*)::int from action_log where user_id = ${userId} and tool = 'action.undo') as undos`;
  expect(row).toEqual({ todos: together * turns, undos: together * turns });
}
