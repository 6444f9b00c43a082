import { expect } from "bun:test";
import type { Answer } from "../../harness.ts";
import type { Call } from "./world.ts";

/** Repeats a request until it is answered, as a careful client does. */
export async function untilAnswered<Answered>(
  send: (tries: number) => Promise<Answered>,
  isAnswer: (answer: Answered) => boolean,
): Promise<Answered> {
  for (let tries = 1; ; tries++) {
    const answer = await send(tries).catch(() => undefined);
    if (answer !== undefined && isAnswer(answer)) return answer;
    await Bun.sleep(20);
  }
}

/** A write that is still refused after this time will never be done. */
const patienceMs = 60_000;

export type Written = Readonly<{
  /** Title of each acknowledged todo, which is also its key. */
  created: readonly string[];
  /** The states in the answers to the toggles of this writer's own todo, in order. */
  toggled: readonly boolean[];
  ownTodo: number;
  /** Answers that a crash does not excuse. */
  wrong: readonly string[];
  retries: number;
}>;

/**
 * A careful client: one write after another, each under a key of its own and repeated, at whichever
 * door, until it is answered.
 */
export async function writeUntil(call: Call, writer: number, isOver: () => boolean): Promise<Written> {
  const created: string[] = [];
  const toggled: boolean[] = [];
  const wrong: string[] = [];
  let retries = 0;

  async function insist(method: string, path: string, body: unknown, expected: number): Promise<Answer> {
    const key = (body as { title?: string } | undefined)?.title ?? crypto.randomUUID();
    const deadline = performance.now() + patienceMs;
    for (let door = writer; ; door++) {
      const answer = await call(method, path, { door, key, body }).catch(() => undefined);
      if (answer?.status === expected) return answer;
      if (answer && answer.status !== 503) wrong.push(`${method} ${path}: ${answer.status}`);
      if (performance.now() > deadline)
        throw new Error(`No door did ${method} ${path}; the last one answered ${JSON.stringify(answer)}.`);
      retries += 1;
      await Bun.sleep(20);
    }
  }

  // A round after this one has todos of its own: the same title would be the same key.
  const ownTitle = `own of writer ${writer} ${crypto.randomUUID()}`;
  const own = await insist("POST", "/todos", { title: ownTitle }, 201);
  while (!isOver()) {
    const title = crypto.randomUUID();
    await insist("POST", "/todos", { title }, 201);
    created.push(title);
    const { body } = await insist("POST", `/todos/${own.body.id}/toggle`, undefined, 200);
    toggled.push(body.is_completed);
    await Bun.sleep(10);
  }
  return { created, toggled, ownTodo: own.body.id, wrong, retries };
}

export type TodoRow = Readonly<{ id: unknown; title: string; is_completed: boolean }>;

/** Every acknowledged write has had its effect, once; there are no effects of other writes, and no wrong answers. */
export function expectExactlyOnce(rows: readonly TodoRow[], written: readonly Written[]): void {
  expect(written.flatMap(({ wrong }) => wrong)).toEqual([]);
  const own = new Map(written.map((one) => [one.ownTodo, one]));
  const titles = rows.filter(({ id }) => !own.has(Number(id))).map(({ title }) => title);
  expect(titles.toSorted()).toEqual(written.flatMap(({ created }) => created).toSorted());
  for (const { toggled } of written) expect(toggled).toEqual(toggled.map((_, index) => index % 2 === 0));
  const states = rows.flatMap(({ id, is_completed }) =>
    own.has(Number(id)) ? [[Number(id), is_completed]] : [],
  );
  expect(new Map(states as [number, boolean][])).toEqual(
    new Map([...own].map(([id, { toggled }]) => [id, toggled.length % 2 === 1])),
  );
}
