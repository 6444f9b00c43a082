import type { Random } from "./random.ts";
import type { Call } from "./world.ts";

type Ids = Readonly<{ todos: number[]; habits: number[]; categories: number[] }>;
type MakeRequest = (random: Random, ids: Ids) => readonly [method: string, path: string, body?: object];

const colors = ["#16a34a", "#dc2626", "#2563eb"];
const titles = ["Sweep", "Call Grace", "Buy bread", "Read"];

const some = (random: Random, ids: readonly number[]): number | null =>
  ids.length > 0 && random.chance(0.7) ? random.pick(ids) : null;
const one = (random: Random, ids: readonly number[]): number => (ids.length > 0 ? random.pick(ids) : 1);
const soon = (random: Random): string => new Date(Date.now() + random.between(200, 3_000)).toISOString();

/** All kinds of changes that a client's copy has. Workers make some too, because some reminders are due soon. */
const requests: readonly MakeRequest[] = [
  (random, { categories }) => [
    "POST",
    "/todos",
    {
      title: random.pick(titles),
      category_id: some(random, categories),
      due_date: "2099-01-01",
      recurrence: random.chance(0.3) ? "FREQ=DAILY" : null,
    },
  ],
  (random) => ["POST", "/todos", { title: random.pick(titles) }],
  (random, { todos }) => [
    "PATCH",
    `/todos/${one(random, todos)}`,
    { title: `${random.pick(titles)} ${random.between(1, 99)}` },
  ],
  (random, { todos, categories }) => [
    "PATCH",
    `/todos/${one(random, todos)}`,
    { category_id: some(random, categories) },
  ],
  (random, { todos }) => ["POST", `/todos/${one(random, todos)}/toggle`],
  (random, { todos }) => ["POST", `/todos/${one(random, todos)}/toggle`],
  (random, { todos }) => ["PUT", `/todos/${one(random, todos)}/reminder`, { remind_at: soon(random) }],
  (random, { todos }) => ["DELETE", `/todos/${one(random, todos)}/reminder`],
  (random, { todos }) => ["DELETE", `/todos/${one(random, todos)}`],
  (random, { categories }) => [
    "POST",
    "/habits",
    { name: "Walk", type: "good", frequency: "daily", category_id: some(random, categories) },
  ],
  (random, { habits }) => ["POST", `/habits/${one(random, habits)}/complete`],
  (random, { habits }) => ["DELETE", `/habits/${one(random, habits)}/complete`],
  (random, { habits }) => [
    "PATCH",
    `/habits/${one(random, habits)}`,
    { grace_days: random.between(0, 3), name: random.pick(titles) },
  ],
  (random, { habits }) => ["DELETE", `/habits/${one(random, habits)}`],
  (random) => ["POST", "/categories", { name: random.pick(titles) }],
  (random, { categories }) => [
    "PATCH",
    `/categories/${one(random, categories)}`,
    { name: random.pick(titles), color: random.pick(colors) },
  ],
  (random, { categories }) => ["DELETE", `/categories/${one(random, categories)}`],
];

/**
 * Sends one random request after another, regardless of results.
 * @param onDone is called after each successful one
 * @throws on an answer that no kill excuses
 */
export async function writeAtRandom(
  call: Call,
  random: Random,
  isOver: () => boolean,
  onDone: () => void,
): Promise<void> {
  const ids: Ids = { todos: [], habits: [], categories: [] };
  while (!isOver()) {
    const [method, path, body] = random.pick(requests)(random, ids);
    const answer = await call(method, path, { door: random.between(0, 1), ...(body && { body }) }).catch(
      () => undefined,
    );
    if (answer === undefined || answer.status === 503) await Bun.sleep(20);
    else if (answer.status >= 500)
      throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    else if (answer.status < 300) onDone();
    const list =
      path === "/todos" || path === "/habits" || path === "/categories" ? path.slice(1) : undefined;
    if (answer?.status === 201) ids[list as keyof Ids].push(answer.body.id);
  }
}
