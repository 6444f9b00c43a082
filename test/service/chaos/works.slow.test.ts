import { afterAll, expect, test } from "bun:test";
import { resolveLocalTime } from "../../../shared/domain/day/day.ts";
import { loadConfig } from "../../../shared/process/config.ts";
import { startWorld } from "../../support/chaos/world.ts";
import { openPageDoor } from "../../support/page-door.ts";
import { exportFile, stageFile } from "../../support/pages/staged-import.ts";
import { storeWallTimes } from "../../support/reminder/wall-times.ts";

// Registered before the world's own, so that it runs first.
afterAll(() => page.close());
const { sql, databaseUrl, redisUrl, call, kill } = await startWorld("works", { QUEUE_PREFIX: "works" });
const config = loadConfig({
  ...{ DATABASE_URL: databaseUrl, REDIS_URL: redisUrl, QUEUE_PREFIX: "works" },
  ...{ BASE_URL: "http://127.0.0.1:1", AUTH_URL: "http://127.0.0.1:1" },
});
const page = await openPageDoor({ config, clock: { now: undefined } });

const todos = 20_000;

/** Asks again after a refusal, which a busy machine may give. */
async function moveTo(userId: string, time_zone: string): Promise<void> {
  for (;;) if ("time_zone" in (await page.send(userId, "user.configure", { time_zone }))) return;
}

/** Todos in a category, each with a reminder by the wall clock of Berlin. */
async function fill(userId: string): Promise<number> {
  await moveTo(userId, "Europe/Berlin");
  const { id } = await page.send(userId, "category.create", { name: "Everything" });
  await sql`
    insert into todos (user_id, id, title, is_completed, recurrence_from, category_id, created_at, updated_at)
    select ${userId}, n, 'Todo ' || n, false, 'due', ${id}::bigint, now(), now() from generate_series(1, ${todos}) n`;
  await storeWallTimes(sql, userId, { count: todos });
  return id;
}

/**
 * Writes todos as a stranger until stopped.
 * @returns their number
 */
function strangerWrites(): () => Promise<number> {
  let isOver = false;
  const made = (async () => {
    let count = 0;
    while (!isOver) if ((await call("POST", "/todos", { body: { title: "Beside" } })).status === 201) count++;
    return count;
  })();
  return () => {
    isOver = true;
    return made;
  };
}

/**
 * Kills the workers at different moments of the work in each round, until it has ended.
 * @returns the progress at each kill
 */
async function killUntilEnded(userId: string, pauseMs: number): Promise<number[]> {
  const progress: number[] = [];
  for (;;) {
    const [open] = await sql`select done from works where user_id = ${userId} and ended_at is null`;
    if (!open) return progress;
    if (progress.length < 5) {
      await kill("workers");
      progress.push(open.done);
    }
    await Bun.sleep(pauseMs + 400 * progress.length);
  }
}

test.each([20, 150])(
  "long work whose workers are killed again and again, %d ms apart, ends, and each row is changed once",
  async (pauseMs) => {
    const userId = `mover ${pauseMs}`;
    const category = await fill(userId);
    const stop = strangerWrites();
    await moveTo(userId, "Pacific/Auckland");
    const moved = await killUntilEnded(userId, pauseMs);
    for (;;) if ((await page.send(userId, "category.delete", { category_id: category })) === null) break;
    const left = await killUntilEnded(userId, pauseMs);
    expect(await stop()).toBeGreaterThan(10);
    expect(moved.length + left.length).toBeGreaterThan(2);
    const works =
      await sql`select name, done, total, outcome from works where user_id = ${userId} order by created_at`;
    expect(works.map((work: object) => ({ ...work }))).toEqual([
      { name: "user.configure", done: todos, total: todos, outcome: null },
      { name: "category.delete", done: todos, total: todos, outcome: null },
    ]);
    const [row] = await sql`
      select (select count(*)::int from todos where user_id = ${userId} and category_id is null) as without,
        (select count(*)::int from todos where user_id = ${userId} and former_category_id is not null) as former`;
    expect(row).toEqual({ without: todos, former: todos });
    const reminders = await sql`
      select to_char(wall_time, 'YYYY-MM-DD"T"HH24:MI:SS') as wall, remind_at from reminders where user_id = ${userId}`;
    const isRight = ({ wall, remind_at }: { wall: string; remind_at: Date }) =>
      resolveLocalTime(wall, "Pacific/Auckland") === remind_at.getTime();
    expect(reminders.every(isRight)).toBe(true);
  },
  120_000,
);

const slowly = `
  create function slowly() returns trigger language plpgsql as $$
  begin perform pg_sleep(0.4); return new; end $$`;

/** A file of many steps. Some of its todos take PostgreSQL so long that a kill meets their step. */
const titles = Array.from({ length: 1_500 }, (_, n) => `${n % 300 === 299 ? "Slow" : "Quick"} ${n}`);
const slowFile = exportFile({
  todos: titles.map((title, id) => ({ id, title, is_completed: false, recurrence_from: "due" })),
});

test("an import whose workers are killed again and again makes each thing once, as one action", async () => {
  const userId = "importer";
  await sql.unsafe(slowly);
  await sql`
    create trigger slowly before insert on todos for each row when (new.title like 'Slow %')
    execute function slowly()`;
  const staged = await stageFile(page, userId, slowFile);
  const stop = strangerWrites();
  const { work_id } = await page.send(userId, "import.apply", staged);
  expect((await killUntilEnded(userId, 100)).length).toBeGreaterThan(2);
  expect(await stop()).toBeGreaterThan(10);
  const todosOf = async () =>
    (await sql`select id, title from todos where user_id = ${userId} order by id`).map((row: object) => ({
      ...row,
    }));
  const made = await todosOf();
  expect(made.map(({ title }: { title: string }) => title)).toEqual(titles);
  const [work] =
    await sql`select done, total, outcome from works where user_id = ${userId} and id = ${work_id}`;
  expect([work.done, work.total, JSON.parse(work.outcome).body.todos]).toEqual([1_500, 1_500, 1_500]);
  await sql`drop trigger slowly on todos`;
  const undoLast = async () => {
    const actions = await sql`
      select called_at::text, request_id from action_log where user_id = ${userId} order by called_at desc limit 1`;
    const answer = await page.send(userId, "action.undo", { actions: [{ ...actions[0] }] });
    return answer.ends[0].undone;
  };
  const [log] = await sql`select count(*)::int as count from action_log where user_id = ${userId}`;
  expect(log.count).toBe(1);
  expect(await undoLast()).toBe("whole");
  expect(await todosOf()).toEqual([]);
  expect(await undoLast()).toBe("whole");
  expect(await todosOf()).toEqual(made);
}, 120_000);
