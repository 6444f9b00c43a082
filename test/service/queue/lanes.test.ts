import { afterAll, expect, test } from "bun:test";
import { Redis } from "ioredis";
import { laneOf, lanePrefixes } from "../../../shared/queue/lanes.ts";
import { type JsonBody, startStack } from "../../harness.ts";
import { openPageDoor } from "../../support/page-door.ts";

// Registered before the stack's own, so that it runs first: the stack counts connections.
afterAll(() => page.close());
const stack = await startStack({ env: { QUEUE_LANES: "4" }, workers: 2 });
const page = await openPageDoor(stack);
const prefixes = lanePrefixes(stack.config);
const people = Array.from({ length: 12 }, (_, index) => `person-${index}`);

test("over several lanes every user's commands are carried out in order, however many travel at once", async () => {
  const todos: JsonBody[] = [];
  for (const sub of people) todos.push(await page.send(sub, "todo.create", { title: "first" }));
  const rename = (index: number, title: string) =>
    page.send(people[index] ?? "", "todo.update", { todo_id: todos[index].id, title });
  const titles = Array.from({ length: 8 }, (_, index) => `title ${index}`);
  const answers = await Promise.all(
    people.map((_, index) => Promise.all(titles.map((title) => rename(index, title)))),
  );
  // A busy machine may refuse some of so many, with a 503.
  const lastDone = answers.map((own) => own.findLast(({ title }) => title !== undefined)?.title ?? "first");
  const { rows } = await page.pool.query(`select title from todos order by id`);
  const byId = todos.map(({ id }, index) => ({ id, title: lastDone[index] })).sort((a, b) => a.id - b.id);
  expect(rows.map(({ title }) => title)).toEqual(byId.map(({ title }) => title));
  expect(lastDone).toContain("title 7");
});

test("each lane has keys of its own, which a Cluster keeps in another slot, and users are spread over all", async () => {
  const redis = new Redis(stack.config.redisUrl);
  const queues = await Promise.all(prefixes.map((prefix) => redis.exists(`{${prefix}}:commands:meta`)));
  redis.disconnect();
  expect(queues).toEqual([1, 1, 1, 1]);
  expect(new Set(people.map((sub) => laneOf(prefixes, sub)))).toEqual(new Set(prefixes));
});
