import { afterEach, describe, expect, test } from "bun:test";
import type { Answer } from "../../harness.ts";
import { startWorld, timed } from "../../support/chaos/world.ts";

const { gates, call, frozen, kill } = await startWorld("away");
const todo = await call("POST", "/todos", { body: { title: "There before" } });
const path = `/todos/${todo.body.id}`;

const write = (door = 0) => call("POST", "/todos", { door, body: { title: "Written" } });
const read = (door = 0) => call("GET", path, { door });

/** Milliseconds until `attempt` succeeds again at every front door. */
async function healing(attempt: (door: number) => Promise<Answer>): Promise<number> {
  const heal = async (door: number) => {
    const answered = () => attempt(door).then(({ status }) => status < 500);
    while (!(await answered().catch(() => false))) await Bun.sleep(20);
  };
  return (await timed(Promise.all([heal(0), heal(1)]))).ms;
}

function expectOverloaded({ status, headers, body }: Answer): void {
  expect(status).toBe(503);
  expect(headers.get("retry-after")).toMatch(/^\d+$/);
  expect(body.code).toBe("overloaded");
  expect(["no", "unknown"]).toContain(body.applied);
}

async function expectRefusedInTime(calls: readonly Promise<Answer>[]): Promise<void> {
  for (const { result, ms } of await Promise.all(calls.map(timed))) {
    expectOverloaded(result);
    expect(ms).toBeLessThan(2_000);
  }
}

/**
 * Calls one after another.
 * @returns the median of the times they took, in ms
 */
async function middleTime(attempt: () => Promise<Answer>, check: (answer: Answer) => void): Promise<number> {
  const times: number[] = [];
  for (let turn = 0; turn < 9; turn++) {
    const { result, ms } = await timed(attempt());
    check(result);
    times.push(ms);
  }
  return times.toSorted((one, other) => one - other)[4] ?? 0;
}

const expectFound = ({ status, body }: Answer): void => {
  expect(status).toBe(200);
  expect(body).toEqual(todo.body);
};

describe("Redis away", () => {
  test("writes are refused at once, reads go on, and all is well within 2 s of its return", async () => {
    gates.redis.shut();
    await Bun.sleep(100);
    expect(await middleTime(write, expectOverloaded)).toBeLessThan(100);
    expect(await middleTime(read, expectFound)).toBeLessThan(100);
    gates.redis.open();
    expect(await healing(write)).toBeLessThan(2_000);
  }, 20_000);

  test("an absence longer than any retry changes nothing about that", async () => {
    gates.redis.shut();
    await Bun.sleep(5_000);
    expect(await middleTime(write, expectOverloaded)).toBeLessThan(100);
    gates.redis.open();
    expect(await healing(write)).toBeLessThan(2_000);
  }, 20_000);
});

test("processes that start while Redis is away do their work when it is back", async () => {
  gates.redis.shut();
  await kill("api");
  await kill("workers");
  await Bun.sleep(500);
  expect(await healing(read)).toBeLessThan(15_000);
  gates.redis.open();
  expect(await healing(write)).toBeLessThan(2_000);
}, 40_000);

describe("Redis frozen", () => {
  test("writes are refused within 2 s, reads go on, and all is well within 2 s of its thawing", async () => {
    await frozen("redis", async () => {
      await expectRefusedInTime(Array.from({ length: 20 }, (_, door) => write(door)));
      expect(await middleTime(read, expectFound)).toBeLessThan(100);
    });
    expect(await healing(write)).toBeLessThan(2_000);
  }, 20_000);
});

describe("PostgreSQL away", () => {
  test("everything is refused at once, and all is well within 2 s of its return", async () => {
    gates.postgres.shut();
    await Bun.sleep(100);
    expect(await middleTime(write, expectOverloaded)).toBeLessThan(100);
    expect(await middleTime(read, expectOverloaded)).toBeLessThan(100);
    gates.postgres.open();
    expect(await healing(write)).toBeLessThan(2_000);
    expect(await healing(read)).toBeLessThan(2_000);
  }, 20_000);
});

describe("PostgreSQL frozen", () => {
  test("everything is refused within 2 s, and all is well within 2 s of its thawing", async () => {
    await frozen("postgres", () =>
      expectRefusedInTime(Array.from({ length: 40 }, (_, door) => (door % 4 < 2 ? write(door) : read(door)))),
    );
    expect(await healing(write)).toBeLessThan(2_000);
    expect(await healing(read)).toBeLessThan(2_000);
  }, 20_000);
});

afterEach(async () => {
  await healing(write);
  await healing(read);
});
