import { expect, test } from "bun:test";
import type { Answer, JsonBody } from "../../harness.ts";
import { startWorld } from "../../support/chaos/world.ts";

const { sql, call, kill } = await startWorld("group");

type Operation = Readonly<{ method: string; path: string; body?: { title: string; recurrence: string } }>;

const create = (title: string): Operation => ({
  method: "POST",
  path: "/todos",
  body: { title, recurrence: "FREQ=DAILY" },
});
const toggle = (index: number): Operation => ({ method: "POST", path: `/todos/$${index}.id/toggle` });

/** Ten pairs of recurring todos, each completed, which makes its successor. */
const operations = (title: string) =>
  Array.from({ length: 10 }, (_, pair) => [
    create(`${title} ${pair} a`),
    toggle(4 * pair),
    create(`${title} ${pair} b`),
    toggle(4 * pair + 2),
  ]).flat();

/** Sends a group under one key to alternating doors until it is answered. */
async function insist(title: string, door: number, atomic: boolean): Promise<Answer & { tries: number }> {
  for (let tries = 1; ; tries++) {
    const body = { operations: operations(title), atomic };
    const answer = await call("POST", "/batch", { door: door + tries, key: title, body }).catch(
      () => undefined,
    );
    const isDone =
      answer?.status === 200 && answer.body.results.every(({ status }: JsonBody) => status < 500);
    if (answer && isDone) return { ...answer, tries };
    if (answer && ![200, 503].includes(answer.status)) throw new Error(`${answer.status}`);
    await Bun.sleep(20);
  }
}

test("kill -9 of workers and doors in the middle of groups loses and doubles none of their operations", async () => {
  let over = false;
  const answers = new Map<string, Answer & { tries: number }>();
  const writing = Array.from({ length: 6 }, async (_, writer) => {
    for (let turn = 0; !over; turn++) {
      const title = `w${writer}-${turn}`;
      answers.set(title, await insist(title, writer, (writer + turn) % 2 === 0));
    }
  });
  for (const victim of ["workers", "api", "workers", "workers", "postgres", "workers"] as const) {
    await Bun.sleep(700);
    await kill(victim);
  }
  await Bun.sleep(700);
  over = true;
  await Promise.all(writing);
  expect([...answers.values()].some(({ tries }) => tries > 1)).toBe(true);
  const rows: { title: string; completed: number; open: number }[] = await sql`
    select title, count(*) filter (where is_completed)::int as completed,
      count(*) filter (where not is_completed)::int as open
    from todos group by title`;
  const titles = [...answers.keys()].flatMap((title) =>
    operations(title).flatMap((one) => (one.body ? [one.body.title] : [])),
  );
  expect(rows.map(({ title }) => title).sort()).toEqual(titles.sort());
  expect(rows.filter(({ completed, open }) => completed !== 1 || open !== 1)).toEqual([]);
  for (const [title, { body }] of answers)
    expect([title, body.results.map(({ status }: JsonBody) => status)]).toEqual([
      title,
      operations(title).map(({ path }) => (path === "/todos" ? 201 : 200)),
    ]);
}, 90_000);
