import { afterAll, expect, test } from "bun:test";
import { loadConfig } from "../../../shared/process/config.ts";
import type { JsonBody } from "../../harness.ts";
import { startWorld } from "../../support/chaos/world.ts";
import { openPageDoor } from "../../support/page-door.ts";

// Registered before the world's own, so that it runs first.
afterAll(() => page.close());
const { sql, databaseUrl, redisUrl, call, kill } = await startWorld("undo", { QUEUE_PREFIX: "undo" });
const config = loadConfig({
  ...{ DATABASE_URL: databaseUrl, REDIS_URL: redisUrl, QUEUE_PREFIX: "undo" },
  ...{ BASE_URL: "http://127.0.0.1:1", AUTH_URL: "http://127.0.0.1:1" },
});
const page = await openPageDoor({ config, clock: { now: undefined } });

/** Asks until there is an answer, as a person presses a button again after a failed page. */
async function answered<Answer>(
  ask: () => Promise<Answer>,
  isAnswer: (answer: Answer) => boolean,
): Promise<Answer> {
  for (;;) {
    const answer = await ask();
    if (isAnswer(answer)) return answer;
    await Bun.sleep(50);
  }
}

async function create(title: string): Promise<number> {
  const key = crypto.randomUUID();
  const ask = () => call("POST", "/todos", { body: { title, recurrence: "FREQ=DAILY" }, key });
  return (await answered(ask, ({ status }) => status === 201)).body.id;
}

async function remove(id: number): Promise<void> {
  const key = crypto.randomUUID();
  await answered(
    () => call("DELETE", `/todos/${id}`, { key }),
    ({ status }) => status === 204,
  );
}

test("undo through a kill -9 of the workers happens once", async () => {
  let rounds = 0;
  for (const delayMs of [0, 5, 10, 20, 40]) {
    const ids = await Promise.all(Array.from({ length: 10 }, (_, n) => create(`Todo ${delayMs}-${n}`)));
    await Promise.all(ids.map(remove));
    const [{ user_id: userId }] = await sql`select user_id from action_log limit 1`;
    const actions = await sql`select called_at::text, request_id from action_log
      where tool = 'todo.delete' and undone_by is null order by called_at desc, request_id desc`;
    expect(actions).toHaveLength(10);
    const killing = Bun.sleep(delayMs).then(() => kill("workers"));
    const undo = (): Promise<JsonBody> => page.send(userId, "action.undo", { actions });
    const [{ ends }] = await Promise.all([answered(undo, (answer) => "ends" in answer), killing]);
    expect(ends).toHaveLength(10);
    const found = await sql`select id from todos where id = any(${sql.array(ids, "bigint")})`;
    expect(found).toHaveLength(10);
    rounds += 1;
    const [{ undos }] = await sql`select count(*)::int as undos from action_log where tool = 'action.undo'`;
    expect(undos).toBe(10 * rounds);
  }
}, 60_000);
