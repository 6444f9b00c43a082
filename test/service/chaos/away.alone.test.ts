import { afterAll, afterEach, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { createRateLimit } from "../../../api/http/rate-limit.ts";
import { connectFailFast, firstTry } from "../../../shared/queue/connections.ts";
import type { Answer } from "../../harness.ts";
import { startWorld, timed } from "../../support/chaos/world.ts";
import { untilAnswered } from "../../support/chaos/writer.ts";
import { openStream, pagesEnv, sessionOf } from "../../support/pages/live-support.ts";
import { eventually } from "../../support/reminder/stack.ts";
import { commandOf, openOwnMailbox, outcomeOf } from "../../support/signed.ts";
import { holdingTodo } from "../../support/todos.ts";

const world = await startWorld("away", {
  ...pagesEnv,
  BUN_OPTIONS: `--preload=${join(import.meta.dir, "fixtures/busy.ts")}`,
});
const { gates, call, callAs, frozen, kill, roles, signal, sql } = world;
const { databaseUrl, redisUrl } = world;
const neighbour = await callAs("neighbour");
const mailbox = await openOwnMailbox({ databaseUrl, redisUrl, queuePrefix: "kept" });
afterAll(() => mailbox.close());

const todo = await call("POST", "/todos", { body: { title: "There before" } });
const write = (door = 0, by = call) => by("POST", "/todos", { door, body: { title: "Written" } });
const read = (door = 0) => call("GET", `/todos/${todo.body.id}`, { door });

/** Milliseconds until `attempt` succeeds again at every front door. */
async function healing(attempt: (door: number) => Promise<Answer>): Promise<number> {
  const heal = (door: number) =>
    untilAnswered(
      () => attempt(door),
      ({ status }) => status < 500,
    );
  return (await timed(Promise.all([heal(0), heal(1)]))).ms;
}

afterEach(async () => {
  await healing(write);
  await healing(read);
});

function expectOverloaded({ status, headers, body }: Answer): void {
  expect(status).toBe(503);
  expect(headers.get("retry-after")).toMatch(/^\d+$/);
  expect(body.code).toBe("overloaded");
  expect(["no", "unknown"]).toContain(body.applied);
}

const expectFound = ({ status, body }: Answer): void => {
  expect(status).toBe(200);
  expect(body).toEqual(todo.body);
};

/** @returns the median of the times of nine calls, one after another, in ms */
async function middleTime(attempt: () => Promise<Answer>, check: (answer: Answer) => void): Promise<number> {
  const times: number[] = [];
  for (let turn = 0; turn < 9; turn++) {
    const { result, ms } = await timed(attempt());
    check(result);
    times.push(ms);
  }
  return times.toSorted((one, other) => one - other)[4] ?? 0;
}

async function expectRefusedInTime(calls: readonly Promise<Answer>[]): Promise<void> {
  for (const { result, ms } of await Promise.all(calls.map(timed))) {
    expectOverloaded(result);
    expect(ms).toBeLessThan(2_000);
  }
}

const absences = [
  ["Redis", "", 100, expectFound],
  ["Redis", ", for longer than the pause between any two tries", 2_500, expectFound],
  ["PostgreSQL", "", 100, expectOverloaded],
] as const;

test.each(absences)(
  "%s away%s: what needs it is refused at once, the rest goes on, and all is well within 2 s of its return",
  async (name, _, awayMs, expectRead) => {
    const gate = name === "Redis" ? gates.redis : gates.postgres;
    gate.shut();
    await Bun.sleep(awayMs);
    expect(await middleTime(write, expectOverloaded)).toBeLessThan(100);
    expect(await middleTime(read, expectRead)).toBeLessThan(100);
    gate.open();
    expect(await healing(write)).toBeLessThan(2_000);
    expect(await healing(read)).toBeLessThan(2_000);
  },
);

test("Redis frozen: writes are refused within 2 s, reads go on, and all is well within 2 s of its thawing", async () => {
  await frozen("redis", async () => {
    await expectRefusedInTime(Array.from({ length: 20 }, (_, door) => write(door)));
    expect(await middleTime(read, expectFound)).toBeLessThan(100);
  });
  expect(await healing(write)).toBeLessThan(2_000);
});

test("PostgreSQL frozen: everything is refused within 2 s, and all is well within 2 s of its thawing", async () => {
  await frozen("postgres", () =>
    expectRefusedInTime(Array.from({ length: 40 }, (_, door) => (door % 4 < 2 ? write(door) : read(door)))),
  );
  expect(await healing(write)).toBeLessThan(2_000);
  expect(await healing(read)).toBeLessThan(2_000);
});

test("processes that start while Redis is away do their work when it is back", async () => {
  gates.redis.shut();
  await kill("api");
  await kill("workers");
  await Bun.sleep(500);
  expect(await healing(read)).toBeLessThan(15_000);
  gates.redis.open();
  expect(await healing(write)).toBeLessThan(2_000);
});

test("writes wait for workers while they compute, and for no frozen ones", async () => {
  await signal("workers", "SIGUSR2");
  const early = write();
  await Bun.sleep(1_900);
  expect((await early).status).toBe(503);
  expect((await fetch(`${roles.baseUrls[0]}/health/ready`)).status).toBe(200);
  const late = await Promise.all([write(), write(0, neighbour)]);
  expect(late.map(({ status }) => status)).toEqual([201, 201]);

  await signal("workers", "SIGSTOP");
  expect((await write()).status).toBe(503);
  await Bun.sleep(300);
  const { result, ms } = await timed(write());
  expect([result.status, result.body.applied]).toEqual([503, "no"]);
  expect(ms).toBeLessThan(300);
  await signal("workers", "SIGCONT");
});

describe("COMMIT in doubt", () => {
  const reload = async (statement: string) => {
    await sql.unsafe(statement);
    await sql`select pg_reload_conf()`;
    await Bun.sleep(200);
  };
  /** COMMIT was sent and waits for the standby. */
  const isHeld = async () =>
    (await sql`select from pg_stat_activity where wait_event = 'SyncRep'`).length > 0;

  // A standby that never confirms holds every commit open, as a slow disk or a failover would.
  test.each([0, 300])(
    "is never told as not applied if its connection is cut after %d ms",
    async (pauseMs) => {
      const path = `/todos/${(await write()).body.id}`;
      await reload("alter system set synchronous_standby_names = 'nobody'");
      const toggle = call("POST", `${path}/toggle`, { body: { is_completed: true } });
      await eventually(isHeld);
      await Bun.sleep(pauseMs);
      gates.postgres.cut();
      const { status, body: answer } = await toggle;
      await reload("alter system reset synchronous_standby_names");
      await eventually(async () => (await call("GET", path)).body.is_completed);
      if (status !== 200) expect([status, answer.applied]).toEqual([503, "unknown"]);
    },
  );
});

describe("after a crash of PostgreSQL", () => {
  const creation = (title: string) => commandOf("crashed", "todo.create", { title });
  const titles = async (): Promise<string[]> =>
    (await sql`select title from todos where user_id = 'crashed' order by id`).map(
      ({ title }: { title: string }) => title,
    );
  const maybeApplied = { refusal: { code: "overloaded", applied: "unknown" } };

  /** Replies without a key are in unlogged tables, which PostgreSQL empties when it starts after a crash. */
  async function crash(): Promise<void> {
    await sql`delete from inbox where keyed`;
    await kill("postgres");
    await eventually(async () => (await sql`select from inbox`.catch(() => [0])).length === 0);
  }

  test("a command whose reply was lost is not run again, and never told as not applied", async () => {
    const before = creation("before the crash");
    expect(await outcomeOf(mailbox, before)).toMatchObject({ body: { title: "before the crash" } });
    await crash();
    expect(await outcomeOf(mailbox, before)).toMatchObject(maybeApplied);
    expect(await outcomeOf(mailbox, { ...before, sentAt: Date.now() - 60_000 })).toMatchObject(maybeApplied);
    expect(await titles()).toEqual(["before the crash"]);
  });

  test("a clock that was ahead then and is set back costs one batch", async () => {
    await sql`update keyless_replies set complete_since = now() + interval '1 hour'`;
    const title = "after the clock was set back";
    expect(await outcomeOf(mailbox, creation("while it is noticed"))).toMatchObject(maybeApplied);
    expect(await outcomeOf(mailbox, creation(title))).toMatchObject({ body: { title } });
    expect((await titles()).at(-1)).toBe(title);
  });

  test("all is as before, from the first command on", async () => {
    await crash();
    await healing(write);
    const after = creation("after the crash");
    const first = await outcomeOf(mailbox, after);
    expect(first).toMatchObject({ body: { title: "after the crash" } });
    expect(await outcomeOf(mailbox, after)).toEqual(first);
    expect((await titles()).filter((title) => title === "after the crash")).toHaveLength(1);
  });
});

const times = <T>(count: number, work: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => work(index)));
const withStatus = (answers: readonly Answer[], wanted: number) =>
  answers.filter(({ status }) => status === wanted).length;

describe("over two doors and two workers", () => {
  test("of 200 completions of one habit at once, one succeeds and 199 are refused", async () => {
    const habit = await call("POST", "/habits", { body: { name: "Walk", type: "good", frequency: "daily" } });
    const path = `/habits/${habit.body.id}`;
    const answers = await times(200, (door) => call("POST", `${path}/complete`, { door }));
    expect([withStatus(answers, 200), withStatus(answers, 409)]).toEqual([1, 199]);
    const { body: after } = await call("GET", path);
    expect(after).toMatchObject({ completions_count: 1, streak_count: 1, is_completed_today: true });
  });

  test("501 toggles of one todo at once end completed, each having flipped what the one before it left", async () => {
    const path = `/todos/${(await write()).body.id}`;
    const answers = await times(501, (door) => call("POST", `${path}/toggle`, { door }));
    expect(withStatus(answers, 200)).toBe(501);
    expect(answers.filter(({ body }) => body.is_completed)).toHaveLength(251);
    expect((await call("GET", path)).body.is_completed).toBe(true);
  });

  test("50 posts at once under one key make one todo, and all are told of that one", async () => {
    const body = { title: "Only once" };
    const answers = await times(50, (door) => call("POST", "/todos", { door, key: "one key", body }));
    expect(answers.map(({ status, body }) => [status, body])).toEqual(
      answers.map(() => [201, answers[0]?.body]),
    );
    expect(answers.filter(({ headers }) => headers.get("idempotent-replayed") === "true")).toHaveLength(49);
    expect(await sql`select from todos where title = 'Only once'`).toHaveLength(1);
  });

  test("the rate limit is exact", async () => {
    const connections = [connectFailFast(redisUrl), connectFailFast(redisUrl)];
    await Promise.all(connections.map(firstTry));
    const [one, other] = connections.map((redis) => createRateLimit(redis, "exact", 60, Date.now, () => {}));
    const answers = await times(150, async (index) => (index % 2 === 0 ? one : other)?.("token"));
    expect(answers.filter((answer) => answer?.allowed)).toHaveLength(60);
    const left = answers.flatMap((answer) => (answer?.allowed ? [answer.remaining] : []));
    expect(left.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 60 }, (_, index) => index));
    for (const redis of connections) redis.disconnect();
  });
});

describe("a row that somebody else holds", () => {
  const create = async (title: string, by = call): Promise<string> =>
    `/todos/${(await by("POST", "/todos", { body: { title } })).body.id}`;
  const holding = <T>(path: string, work: () => Promise<T>): Promise<T> =>
    holdingTodo(sql, Number(path.split("/").at(-1)), work);

  test("delays only the commands of its owner", async () => {
    const held = await create("Held");
    const free = await times(4, (index) => create(`Free ${index}`, neighbour));
    const { waiting, others } = await holding(held, async () => {
      const waiting = timed(call("POST", `${held}/toggle`));
      const others = await times(40, (index) =>
        timed(neighbour("POST", `${free[index % 4]}/toggle`, { door: index })),
      );
      await Bun.sleep(500);
      return { waiting, others };
    });
    expect(others.filter(({ result }) => result.status !== 200)).toEqual([]);
    expect(Math.max(...others.map(({ ms }) => ms))).toBeLessThan(450);
    const { result, ms } = await waiting;
    expect(result).toMatchObject({ status: 200, body: { is_completed: true } });
    expect(ms).toBeGreaterThan(450);
  });

  test("delays nobody else either if many commands on it come one after another", async () => {
    const [held, free] = [await create("Held for long"), await create("Free", neighbour)];
    const toggles: Promise<Answer>[] = [];
    await holding(held, async () => {
      for (let turn = 0; turn < 30; turn++) {
        toggles.push(call("POST", `${held}/toggle`, { door: turn, key: `held ${turn}` }));
        await Bun.sleep(20);
        const { result, ms } = await timed(neighbour("POST", `${free}/toggle`, { door: turn + 1 }));
        expect(result.status).toBe(200);
        expect(ms).toBeLessThan(450);
      }
    });
    for (const { status } of await Promise.all(toggles)) expect([200, 503]).toContain(status);
    for (let turn = 0; turn < 30; turn++)
      expect((await call("POST", `${held}/toggle`, { key: `held ${turn}` })).status).toBe(200);
    expect((await call("GET", held)).body.is_completed).toBe(false);
  });
});

test("pages and streams outlive a Redis that is killed, and events come again with the next one", async () => {
  const config = { baseUrl: roles.baseUrls[0] ?? "", databaseUrl };
  const stream = await openStream(config, "streaming");
  await stream.event("changed");
  await kill("redis");
  const cookie = `kept_account=${await sessionOf(config, "streaming")}`;
  expect((await fetch(`${config.baseUrl}/account`, { headers: { cookie } })).status).toBe(200);
  const mine = await callAs("streaming");
  const create = () => write(0, mine).then(({ status }) => status);
  await eventually(async () => (await create()) === 201);
  await stream.event("changed", 2);
  // The workers learn again who is watched, before the beat that would show the change anyway.
  await Bun.sleep(6_000);
  const count = stream.count("changed");
  expect(await create()).toBe(201);
  expect((await timed(stream.event("changed", count + 1))).ms).toBeLessThan(3_000);
  stream.close();
});

// This comes late, because some connections ask for no sign of life, and stay silent.
describe("a connection that falls silent", () => {
  test("costs nothing but a moment if it is a subscription to replies", async () => {
    const [ada, bob, carol] = await Promise.all(["ada-silent", "bob", "carol"].map(callAs));
    if (!ada || !bob || !carol) throw new Error("no callers");
    const once = (by: typeof ada, key: string, title = "Once") =>
      by("POST", "/todos", { key, body: { title } });
    const used = (by: typeof ada) =>
      untilAnswered(
        () => once(by, "used before"),
        ({ status }) => status === 201,
      );
    const [before] = await Promise.all([used(bob), used(carol)]);
    gates.redis.silence("subscriptions");
    const [fresh, replayed, other] = await Promise.all([
      once(ada, "fresh"),
      once(bob, "used before"),
      once(carol, "used before", "Another"),
    ]);
    expect([fresh.status, fresh.headers.get("idempotent-replayed")]).toEqual([201, null]);
    expect([replayed.status, replayed.headers.get("idempotent-replayed")]).toEqual([201, "true"]);
    expect(replayed.body).toEqual(before.body);
    expect([other.status, Object.keys(other.body.errors)]).toEqual([422, ["Idempotency-Key"]]);
    await Bun.sleep(1_500);
    const { result, ms } = await timed(once(ada, "afterwards"));
    expect(result.status).toBe(201);
    expect(ms).toBeLessThan(1_400);
  });

  test("is noticed by workers and doors themselves", async () => {
    gates.redis.silence();
    expect(await healing(write)).toBeLessThan(10_000);
  });
});

test("a door that is told to stop ends its streams and stops in time", async () => {
  const config = { baseUrl: roles.baseUrls[0] ?? "", databaseUrl };
  const streams = await times(5, (index) => openStream(config, `user-${index}`));
  await Promise.all(streams.map((stream) => stream.event("changed")));
  const gone = async () => {
    await signal("api", "SIGTERM");
    await Promise.all(streams.map(({ ended }) => ended));
  };
  expect((await timed(gone())).ms).toBeLessThan(4_000);
});
