import { expect } from "bun:test";
import type { SQL } from "bun";
import { resolveLocalTime } from "../../../../shared/domain/day/day.ts";
import type { Page } from "../../../support/chaos/world.ts";
import { untilAnswered } from "../../../support/chaos/writer.ts";
import { exportFile, stageFile } from "../../../support/pages/staged-import.ts";
import { storeWallTimes } from "../../../support/reminder/wall-times.ts";

const todos = 4_000;
const zone = "Pacific/Auckland";

/** Asks again after a refusal, which a busy machine may give. */
const moveTo = (page: Page, userId: string, time_zone: string) =>
  untilAnswered(
    () => page.send(userId, "user.configure", { time_zone }),
    (answer) => "time_zone" in answer,
  );

/** A user with many todos in a category, each with a reminder by the wall clock of Berlin, begins two long works. */
export async function fillMover(page: Page, sql: SQL, userId: string) {
  await moveTo(page, userId, "Europe/Berlin");
  const { id } = await page.send(userId, "category.create", { name: "Everything" });
  await sql`
    insert into todos (user_id, id, title, is_completed, recurrence_from, category_id, created_at, updated_at)
    select ${userId}, n, 'Todo ' || n, false, 'due', ${id}::bigint, now(), now() from generate_series(1, ${todos}) n`;
  await storeWallTimes(sql, userId, { count: todos });
  return {
    move: () => moveTo(page, userId, zone),
    leave: () =>
      untilAnswered(
        () => page.send(userId, "category.delete", { category_id: id }),
        (answer) => answer === null,
      ),
  };
}

export async function expectMoved(sql: SQL, userId: string): Promise<void> {
  const works = await sql`
    select name, done, total, outcome from works where user_id = ${userId} order by created_at`;
  expect(works.map((work: object) => ({ ...work }))).toEqual([
    { name: "user.configure", done: todos, total: todos, outcome: null },
    { name: "category.delete", done: todos, total: todos, outcome: null },
  ]);
  const [row] = await sql`
    select count(*) filter (where category_id is null)::int as without,
      count(*) filter (where former_category_id is not null)::int as former from todos where user_id = ${userId}`;
  expect(row).toEqual({ without: todos, former: todos });
  const reminders: { wall: string; remind_at: Date }[] = await sql`
    select to_char(wall_time, 'YYYY-MM-DD"T"HH24:MI:SS') as wall, remind_at from reminders where user_id = ${userId}`;
  expect(reminders).toHaveLength(todos);
  const astray = reminders.filter(
    ({ wall, remind_at }) => resolveLocalTime(wall, zone) !== remind_at.getTime(),
  );
  expect(astray).toEqual([]);
}

const titles = Array.from({ length: 1_500 }, (_, n) => `${n % 300 === 299 ? "Slow" : "Quick"} ${n}`);
const file = exportFile({
  todos: titles.map((title, id) => ({ id, title, is_completed: false, recurrence_from: "due" })),
});

/** @returns the input by which a file of many steps is imported */
export const stageImport = (page: Page, userId: string) => stageFile(page, userId, file);

/** Some rows take PostgreSQL so long that a kill meets their step. */
export const slowDown = (sql: SQL, mover: string) =>
  sql.unsafe(`
    create function slowly() returns trigger language plpgsql as 'begin perform pg_sleep(0.3); return new; end';
    create trigger slowly before insert on todos for each row when (new.title like 'Slow %')
      execute function slowly();
    create trigger slowly_left before update on todos for each row
      when (new.user_id = '${mover}' and new.id % 500 = 0) execute function slowly();
    create trigger slowly_moved before update on reminders for each row
      when (new.user_id = '${mover}' and new.todo_id % 500 = 0) execute function slowly()`);

export const speedUp = (sql: SQL) => sql.unsafe("drop function slowly cascade");

/** Each thing of the file is there once, and one action can be undone for all of them. */
export async function expectImported(page: Page, sql: SQL, userId: string): Promise<void> {
  const made = async () =>
    (await sql`select id, title from todos where user_id = ${userId} order by id`).map((row: object) => ({
      ...row,
    }));
  const before = await made();
  expect(before.map(({ title }: { title: string }) => title)).toEqual(titles);
  const [work] = await sql`select done, total, outcome from works where user_id = ${userId}`;
  expect([work.done, work.total, JSON.parse(work.outcome).body.todos]).toEqual([1_500, 1_500, 1_500]);
  const actions = () => sql`
    select called_at::text, request_id from action_log where user_id = ${userId} order by called_at desc`;
  expect(await actions()).toHaveLength(1);
  const undoLast = async () => {
    const [last] = await actions();
    return (await page.send(userId, "action.undo", { actions: [{ ...last }] })).ends[0].undone;
  };
  expect(await undoLast()).toBe("whole");
  expect(await made()).toEqual([]);
  expect(await undoLast()).toBe("whole");
  expect(await made()).toEqual(before);
}

/**
 * Kills the workers whenever an open work has gone on, at most three times, until all works have ended.
 * @returns the number of kills
 */
export async function killUntilEnded(sql: SQL, kill: () => Promise<void>): Promise<number> {
  const progress = new Map<string, number>();
  for (let kills = 0; ; ) {
    const open: { id: string; done: number }[] = await sql`select id, done from works where ended_at is null`;
    if (open.length === 0) return kills;
    const hasGoneOn = open.some(({ id, done }) => done > (progress.get(id) ?? 0));
    if (hasGoneOn && kills < 3) {
      await kill();
      kills += 1;
      for (const { id, done } of open) progress.set(id, done);
    }
    await Bun.sleep(20);
  }
}
