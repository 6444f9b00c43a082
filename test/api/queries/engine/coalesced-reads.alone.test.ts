import { afterAll, expect, test } from "bun:test";
import { createCoalescedReads } from "../../../../api/queries/engine/coalesced-reads.ts";
import { openDatabase } from "../../../../shared/db/orm.ts";
import { createLog } from "../../../../shared/process/observe/log.ts";
import { createDatabase } from "../../../harness.ts";

const log = createLog("test", "silent");
const database = await openDatabase({ url: await createDatabase(), log });
afterAll(() => database.close());
await database.pool.query("create table numbers (owner text, n bigint, note text, primary key (owner, n))");
await database.pool.query(
  "insert into numbers select 'user ' || u, n, case when n % 3 = 0 then 'fizz' end from generate_series(1, 50) u, generate_series(1, 30) n",
);

/** The pool, which records its queries. */
function openReads() {
  const asked: string[] = [];
  const query = (statement: { text: string; values: unknown[] }) => {
    asked.push(statement.text);
    return database.pool.query(statement);
  };
  return { asked, read: createCoalescedReads({ query } as never) };
}

type Read = ReturnType<typeof createCoalescedReads>;

/** A read that takes so many seconds for the users whose names begin with a word. */
const sleepingFor = (word: string, seconds: number) =>
  `select pg_sleep(case when $1 like '${word}%' then ${seconds} else 0 end)::text, $2::text as whose`;
const readAs = (read: Read, text: string, user: string) => read(user, { text, values: [user, user] });
/** Twelve users, of whom one has this name. */
const twelveWith = (name: string) => Array.from({ length: 12 }, (_, n) => (n === 5 ? name : `user ${n}`));

const descending =
  "select n, note from numbers where owner = $1 and n <= $2::bigint order by n desc limit 15";
const expected = (most: number) =>
  Array.from({ length: Math.min(15, most) }, (_, index) => most - index).map((n) => ({
    n,
    note: n % 3 === 0 ? "fizz" : null,
  }));

test("a lone read asks with the plain statement", async () => {
  const { asked, read } = openReads();
  expect(await read<object>("user 1", { text: descending, values: ["user 1", 4] })).toEqual(expected(4));
  expect(asked).toEqual([descending]);
});

test("reads that wait at the same time travel as one, each with its own rows in its own order", async () => {
  const { asked, read } = openReads();
  const readers = Array.from({ length: 150 }, (_, n) => ({ user: `user ${1 + (n % 50)}`, most: n % 31 }));
  const results = await Promise.all(
    readers.map(({ user, most }) => read(user, { text: descending, values: [user, most] })),
  );
  expect(results).toEqual(readers.map(({ most }) => expected(most)));
  expect(asked.length).toBeLessThanOrEqual(6);
  expect(asked.filter((text) => text === descending)).toHaveLength(2);
});

test("one caller's bad value is nobody else's error", async () => {
  const { read } = openReads();
  const values = Array.from({ length: 20 }, (_, n) => (n === 7 ? "seven" : String(n)));
  const results = await Promise.allSettled(
    values.map((most) => read("user 1", { text: descending, values: ["user 1", most] })),
  );
  expect(results.map(({ status }) => status)).toEqual(
    values.map((most) => (most === "seven" ? "rejected" : "fulfilled")),
  );
});

test("a statement that cannot take columns for its values is asked for as it is, again and again", async () => {
  const { asked, read } = openReads();
  const untyped = "select n from numbers where owner = $1 and n = $2";
  for (let turn = 0; turn < 2; turn++) {
    const results = await Promise.all(
      [1, 2, 3, 4, 5].map((n) => read("user 1", { text: untyped, values: ["user 1", n] })),
    );
    expect(results).toEqual([1, 2, 3, 4, 5].map((n) => [{ n }]));
  }
  expect(asked.filter((text) => text !== untyped)).toHaveLength(1);
  const limited = "select n from numbers where owner = $1 order by n limit $2";
  expect(
    await Promise.all([1, 2, 3].map((most) => read("user 1", { text: limited, values: ["user 1", most] }))),
  ).toEqual([[{ n: 1 }], [{ n: 1 }, { n: 2 }], [{ n: 1 }, { n: 2 }, { n: 3 }]]);
});

test("a user whose read is slow reads alone from then on, and the others together", async () => {
  const { asked, read } = openReads();
  const sleeping = sleepingFor("slow", 0.2);
  const users = twelveWith("slow");
  for (let turn = 0; turn < 2; turn++) await Promise.all(users.map((user) => readAs(read, sleeping, user)));
  asked.length = 0;
  const ended: string[] = [];
  await Promise.all(users.map((user) => readAs(read, sleeping, user).then(() => ended.push(user))));
  expect(ended.at(-1)).toBe("slow");
  expect(asked.some((text) => text !== sleeping)).toBe(true);
});

test("a read that the server stops for taking too long fails nobody else, and its user reads alone from then on", async () => {
  const { asked, read } = openReads();
  const sleeping = sleepingFor("stuck", 3);
  const users = twelveWith("stuck");
  const results = await Promise.allSettled(users.map((user) => readAs(read, sleeping, user)));
  expect(users.filter((_, index) => results[index]?.status === "rejected")).toEqual(["stuck"]);
  asked.length = 0;
  const others = users.filter((user) => user !== "stuck");
  let hasEnded = false;
  const stuck = readAs(read, sleeping, "stuck").finally(() => {
    hasEnded = true;
  });
  await Promise.all(others.map((user) => readAs(read, sleeping, user)));
  expect(hasEnded).toBe(false);
  await expect(stuck).rejects.toThrow("statement timeout");
  expect(asked.some((text) => text !== sleeping)).toBe(true);
});

test("searches never travel together, because each would wait for all others", async () => {
  const { asked, read } = openReads();
  const search = "select n from numbers where owner = $1 and note ~ $2 order by n limit 1";
  const results = await Promise.all(
    [1, 2, 3, 4, 5, 6].map((n) =>
      read(`user ${n}`, { text: search, values: [`user ${n}`, "zz"] }, { alone: true }),
    ),
  );
  expect(results).toEqual(Array(6).fill([{ n: 3 }]));
  expect(asked).toEqual(Array(6).fill(search));
});

/**
 * Thirty reads of a server that fails all of them after a while.
 * @returns the number of queries, and of those that began when one had failed
 */
async function askInVain(message: string, afterMs: number) {
  let [asked, failed, late] = [0, 0, 0];
  const query = async () => {
    asked += 1;
    if (failed > 0) late += 1;
    await Bun.sleep(afterMs);
    failed += 1;
    throw new Error(message);
  };
  const read = createCoalescedReads({ query } as never);
  const results = await Promise.allSettled(
    Array.from({ length: 30 }, () => read("user 1", { text: descending, values: ["user 1", 1] })),
  );
  expect(results.every(({ status }) => status === "rejected")).toBe(true);
  return { asked, late };
}

test("a lost connection fails every read that travels by it, once", async () => {
  expect((await askInVain("Connection terminated", 1)).asked).toBe(3);
});

test("while the server does not answer, nobody waits for two time-outs", async () => {
  expect(await askInVain("Query read timeout", 2_000)).toEqual({ asked: 3, late: 0 });
});

test("no stranger waits until reads under way have ended", async () => {
  const { read } = openReads();
  const sleeping = sleepingFor("slow", 0.7);
  let ended = 0;
  const slow = ["slow 1", "slow 2"].map((user) =>
    readAs(read, sleeping, user).finally(() => {
      ended += 1;
    }),
  );
  await readAs(read, sleeping, "user 1");
  expect(ended).toBe(0);
  await Promise.all(slow);
});
