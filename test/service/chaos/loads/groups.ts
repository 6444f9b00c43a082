import { expect } from "bun:test";
import type { SQL } from "bun";
import type { Answer, JsonBody } from "../../../harness.ts";
import type { Call } from "../../../support/chaos/world.ts";
import { untilAnswered } from "../../../support/chaos/writer.ts";

type Operation = Readonly<{ method: string; path: string; body?: { title: string; recurrence: string } }>;
type Answered = Answer & { tries: number };

const create = (title: string): Operation => ({
  method: "POST",
  path: "/todos",
  body: { title, recurrence: "FREQ=DAILY" },
});
const toggle = (index: number): Operation => ({ method: "POST", path: `/todos/$${index}.id/toggle` });

/** Four pairs of recurring todos, each completed, which makes its successor. */
const operations = (title: string) =>
  Array.from({ length: 4 }, (_, pair) => [
    create(`${title} ${pair} a`),
    toggle(4 * pair),
    create(`${title} ${pair} b`),
    toggle(4 * pair + 2),
  ]).flat();

/** Sends a group under one key to alternating doors until each of its operations is answered. */
async function insist(call: Call, title: string, door: number, atomic: boolean): Promise<Answered> {
  const body = { operations: operations(title), atomic };
  const isDone = ({ status, body }: Answer) => {
    if (![200, 503].includes(status)) return true;
    return status === 200 && body.results.every((one: JsonBody) => one.status < 500);
  };
  let tries = 0;
  const answer = await untilAnswered((turn) => {
    tries = turn;
    return call("POST", "/batch", { door: door + turn, key: title, body });
  }, isDone);
  return { ...answer, tries };
}

/** Two clients of one user send groups, every second one atomic. @returns the answers by title */
export async function sendGroups(call: Call, isOver: () => boolean): Promise<Map<string, Answered>> {
  const answers = new Map<string, Answered>();
  await Promise.all(
    Array.from({ length: 2 }, async (_, writer) => {
      for (let turn = 0; !isOver(); turn++) {
        const title = `w${writer}-${turn}`;
        answers.set(title, await insist(call, title, writer, (writer + turn) % 2 === 0));
      }
    }),
  );
  return answers;
}

export async function expectGroupsOnce(sql: SQL, userId: string, answers: ReadonlyMap<string, Answered>) {
  expect([...answers.values()].some(({ tries }) => tries > 1)).toBe(true);
  for (const [title, { status, body }] of answers)
    expect([title, status, body.results?.map((one: JsonBody) => one.status)]).toEqual([
      ...[title, 200],
      operations(title).map(({ path }) => (path === "/todos" ? 201 : 200)),
    ]);
  const rows: { title: string; completed: number; open: number }[] = await sql`
    select title, count(*) filter (where is_completed)::int as completed,
      count(*) filter (where not is_completed)::int as open
    from todos where user_id = ${userId} group by title`;
  const titles = [...answers.keys()].flatMap((title) =>
    operations(title).flatMap(({ body }) => (body ? [body.title] : [])),
  );
  expect(rows.map(({ title }) => title).toSorted()).toEqual(titles.toSorted());
  expect(rows.filter(({ completed, open }) => completed !== 1 || open !== 1)).toEqual([]);
}
