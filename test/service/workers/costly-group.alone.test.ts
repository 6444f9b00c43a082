import { expect, test } from "bun:test";
import { type JsonBody, useStack } from "../../harness.ts";
import { storeTodos } from "../../support/todos.ts";

const { config, rest, issuer, sub } = await useStack();

/** One of the costliest rules: a successor takes some two milliseconds. */
const recurrence = "FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR,SA,SU;BYMONTH=2;BYSETPOS=-7;COUNT=1000";
const operations = Array.from({ length: 25 }, (_, n) => [
  { method: "POST", path: "/todos", body: { title: "Leap", due_date: "2024-03-01", recurrence } },
  { method: "POST", path: `/todos/$${2 * n}.id/toggle` },
]).flat();

/** @returns the most processor time, in ms, for which this process let nothing else run meanwhile */
async function longestTurn(work: () => Promise<void>): Promise<number> {
  let [longest, isOver] = [0, false];
  const watched = (async () => {
    while (!isOver) {
      const before = process.cpuUsage();
      await new Promise(setImmediate);
      const { user, system } = process.cpuUsage(before);
      longest = Math.max(longest, (user + system) / 1_000);
    }
  })();
  await work();
  isOver = true;
  await watched;
  return longest;
}

test.each([false, true])(
  "a group of costly operations lets others run in between, atomic: %p",
  async (atomic) => {
    const turns: number[] = [];
    for (let n = 0; n < 4; n++)
      turns.push(
        await longestTurn(async () => {
          const { status, body } = await rest("POST", "/batch", { body: { atomic, operations } });
          expect([status, body.results.at(-1).status]).toEqual([200, 200]);
        }),
      );
    // The first ones compile the code.
    expect(Math.min(...turns)).toBeLessThan(40);
  },
);

test("groups of the costliest changes leave those of others in time", async () => {
  const category = { method: "POST", path: "/categories", body: { name: "c" } };
  const made = await rest("POST", "/batch", {
    body: { operations: Array.from({ length: 50 }, () => category) },
  });
  const ids: number[] = made.body.results.map(({ body }: JsonBody) => body.id);
  await storeTodos(config.databaseUrl, sub, 20_000, { category_id: `${ids[0]} + n % 50` });
  const deletions = ids.map((id) => ({ method: "DELETE", path: `/categories/${id}` }));
  const costly = rest("POST", "/batch", { body: { operations: deletions } });
  const began = performance.now();
  const quick = [{ method: "POST", path: "/todos", body: { title: "quick" } }];
  const others = Array.from({ length: 10 }, async () => {
    const token = await issuer.token({ sub: crypto.randomUUID() });
    return (await rest("POST", "/batch", { token, body: { operations: quick } })).body.results[0].status;
  });
  expect(await Promise.all(others)).toEqual(others.map(() => 201));
  expect(performance.now() - began).toBeLessThan(1_000);
  expect((await costly).status).toBeOneOf([200, 503]);
});
