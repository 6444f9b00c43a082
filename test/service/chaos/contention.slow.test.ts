import { afterAll, expect, test } from "bun:test";
import { SQL } from "bun";
import { testEnvironment } from "../../harness.ts";
import { startRoles } from "../../support/chaos/roles.ts";
import { callDoors, timed } from "../../support/chaos/world.ts";

const env = await testEnvironment();
const sql = new SQL(env.DATABASE_URL ?? "", { max: 2 });
const roles = await startRoles({ env, apis: 2, workers: 2 });
const call = callDoors(roles.baseUrls, await roles.issuer.token());
const callAsNeighbour = callDoors(roles.baseUrls, await roles.issuer.token({ sub: "neighbour" }));

afterAll(async () => {
  await roles.stop();
  await sql.close();
});

const times = <T>(count: number, work: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => work(index)));

const create = async (title: string, by = call): Promise<string> =>
  `/todos/${(await by("POST", "/todos", { body: { title } })).body.id}`;
const createAsNeighbour = (title: string) => create(title, callAsNeighbour);

test("of 200 completions of one habit at once, one succeeds and 199 are refused", async () => {
  const body = { name: "Walk", type: "good", frequency: "daily" };
  const habit = await call("POST", "/habits", { body });
  const path = `/habits/${habit.body.id}`;
  const answers = await times(200, (door) => call("POST", `${path}/complete`, { door }));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(answers.filter(({ status }) => status === 409)).toHaveLength(199);
  const { body: after } = await call("GET", path);
  expect(after).toMatchObject({ completions_count: 1, streak_count: 1, is_completed_today: true });
});

test("501 toggles of one todo at once end completed, each having flipped what the one before it left", async () => {
  const path = await create("Flip me");
  const answers = await times(501, (door) => call("POST", `${path}/toggle`, { door }));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(501);
  expect(answers.filter(({ body }) => body.is_completed)).toHaveLength(251);
  expect((await call("GET", path)).body.is_completed).toBe(true);
});

test("50 posts at once under one key make one todo, and all are told of that one", async () => {
  const body = { title: "Only once" };
  const answers = await times(50, (door) => call("POST", "/todos", { door, key: "one key", body }));
  const [first] = answers;
  for (const answer of answers) {
    expect(answer.status).toBe(201);
    expect(answer.body).toEqual(first?.body);
  }
  const replayed = answers.filter(({ headers }) => headers.get("idempotent-replayed") === "true");
  expect(replayed).toHaveLength(49);
  const rows: unknown[] = await sql`select 1 from todos where title = 'Only once'`;
  expect(rows).toHaveLength(1);
});

/** Holds a row as a person at psql would, while `work` runs. */
async function holding<T>(path: string, work: () => Promise<T>): Promise<T> {
  return sql.begin(async (transaction) => {
    await transaction`select 1 from todos where id = ${Number(path.split("/").at(-1))} for update`;
    return work();
  });
}

test("a row that somebody else holds delays only the commands of its owner", async () => {
  const held = await create("Held");
  const free = await Promise.all(["a", "b", "c", "d"].map(createAsNeighbour));
  const { waiting, others } = await holding(held, async () => {
    const waiting = timed(call("POST", `${held}/toggle`));
    const others = await times(40, (index) =>
      timed(callAsNeighbour("POST", `${free[index % 4]}/toggle`, { door: index })),
    );
    await Bun.sleep(500);
    return { waiting, others };
  });
  for (const { result, ms } of others) {
    expect(result.status).toBe(200);
    expect(ms).toBeLessThan(450);
  }
  const { result, ms } = await waiting;
  expect(result).toMatchObject({ status: 200, body: { is_completed: true } });
  expect(ms).toBeGreaterThan(450);
});

test("so do many commands on it that come one after another", async () => {
  const held = await create("Held for long");
  const free = await createAsNeighbour("Free");
  const toggles: Promise<{ status: number }>[] = [];
  await holding(held, async () => {
    for (let turn = 0; turn < 30; turn++) {
      toggles.push(call("POST", `${held}/toggle`, { door: turn, key: `held ${turn}` }));
      await Bun.sleep(20);
      const { result, ms } = await timed(callAsNeighbour("POST", `${free}/toggle`, { door: turn + 1 }));
      expect(result.status).toBe(200);
      expect(ms).toBeLessThan(450);
    }
  });
  for (const { status } of await Promise.all(toggles)) expect([200, 503]).toContain(status);
  for (let turn = 0; turn < 30; turn++) {
    const repeated = await call("POST", `${held}/toggle`, { key: `held ${turn}` });
    expect(repeated.status).toBe(200);
  }
  expect((await call("GET", held)).body.is_completed).toBe(false);
});

test("the rate limit is exact over two front doors", async () => {
  const limited = await startRoles({ env: { ...env, RATE_LIMIT_PER_MINUTE: "60" }, apis: 2, workers: 0 });
  const callLimited = callDoors(limited.baseUrls, await limited.issuer.token());
  const answers = await times(150, (door) => callLimited("GET", "/todos", { door }));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(60);
  expect(answers.filter(({ status }) => status === 429)).toHaveLength(90);
  const remaining = answers.map(({ headers }) => Number(headers.get("x-ratelimit-remaining")));
  expect(new Set(remaining.slice().sort())).toEqual(new Set(Array.from({ length: 60 }, (_, left) => left)));
  await limited.stop();
}, 20_000);
