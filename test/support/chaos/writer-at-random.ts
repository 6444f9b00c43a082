import type { Random } from "./random.ts";
import type { Call } from "./world.ts";

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
export async function writeAtRandom(
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
