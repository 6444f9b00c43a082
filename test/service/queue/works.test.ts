import { expect, test } from "bun:test";
import { resolveLocalTime } from "../../../shared/domain/day/day.ts";
import { useStack } from "../../harness.ts";
import { untilAnswered } from "../../support/chaos/writer.ts";
import { eventually } from "../../support/reminder/stack.ts";
import { storeWallTimes } from "../../support/reminder/wall-times.ts";
import { storeTodos } from "../../support/todos.ts";

const stack = await useStack();
const { sql } = stack;
const page = await stack.page();
const user = (name: string) => `${stack.sub} ${name}`;

/** Asks again after a refusal, which a busy machine may give. */
const moveTo = (userId: string, time_zone: string) =>
  untilAnswered(
    () => page.send(userId, "user.configure", { time_zone }),
    (answer) => "time_zone" in answer,
  );

/** Wall times around the changes to and from summer time, among others, of a user in Berlin. */
async function remind(userId: string, reminders: number): Promise<void> {
  await moveTo(userId, "Europe/Berlin");
  await storeTodos(stack.config.databaseUrl, userId, reminders, { id: "n" });
  await storeWallTimes(sql, userId, { count: reminders, suspends: true });
}

const ended = (userId: string) =>
  eventually(async () => {
    const open = await sql`select from works where user_id = ${userId} and ended_at is null`;
    return open.length === 0;
  });

/** Reminders whose instant differs from their wall time in the zone. */
async function astray(userId: string, zone: string): Promise<number[]> {
  const rows = await sql`
    select todo_id, to_char(wall_time, 'YYYY-MM-DD"T"HH24:MI:SS') as wall, remind_at from reminders
    where user_id = ${userId}`;
  return rows
    .filter(
      (row: { wall: string; remind_at: Date }) =>
        resolveLocalTime(row.wall, zone) !== row.remind_at.getTime(),
    )
    .map(({ todo_id }: { todo_id: number }) => todo_id);
}

test("a change of zone with few reminders is one transaction, and leaves no work", async () => {
  await remind(user("few"), 900);
  const { time_zone } = await moveTo(user("few"), "America/New_York");
  expect(time_zone).toBe("America/New_York");
  expect(await astray(user("few"), "America/New_York")).toEqual([]);
  expect(await sql`select from works where user_id = ${user("few")}`).toHaveLength(0);
  expect(await sql`select distinct xmin::text from reminders where user_id = ${user("few")}`).toHaveLength(1);
});

test.concurrent.each(["Pacific/Auckland", "Australia/Lord_Howe", "America/New_York", "America/Santiago"])(
  "a change to %s with many reminders goes on after its answer, and leaves each where one transaction would",
  async (zone) => {
    await remind(user(zone), 5_000);
    await moveTo(user(zone), zone);
    const begun = () => sql`select done, total from works where user_id = ${user(zone)}`;
    const { done, total } = await eventually(async () => (await begun())[0]);
    expect(done).toBeGreaterThanOrEqual(1_000);
    expect(total).toBe(5_000);
    await ended(user(zone));
    expect(await astray(user(zone), zone)).toEqual([]);
    const [work] = await sql`select done, total, cursor, outcome from works where user_id = ${user(zone)}`;
    expect(work).toEqual({ done: 5_000, total: 5_000, cursor: null, outcome: null });
    // A fast machine does several thousands in the time of a step, but none of them with the command itself.
    const steps = await sql`select from reminders where user_id = ${user(zone)} group by xmin`;
    expect(steps.length).toBeGreaterThan(1);
  },
);

test("of two changes of zone the later one stands, after the first has ended", async () => {
  await remind(user("hasty"), 5_000);
  await moveTo(user("hasty"), "Pacific/Auckland");
  await moveTo(user("hasty"), "America/New_York");
  await ended(user("hasty"));
  expect(await astray(user("hasty"), "America/New_York")).toEqual([]);
});

test("what its user changes meanwhile stands, and each answer is of a whole row", async () => {
  await remind(user("busy"), 8_000);
  const change = (todo_id: number) =>
    untilAnswered(
      () => page.send(user("busy"), "reminder.set", { todo_id, remind_at: "2031-07-01T09:00:00" }),
      (answer) => "remind_at" in answer,
    );
  await moveTo(user("busy"), "Pacific/Auckland");
  const ids = [1, 4_000, 7_999];
  for (const answer of await Promise.all(ids.map(change)))
    expect(answer).toMatchObject({ remind_at: "2031-06-30T21:00:00.000000Z", time_zone: "Pacific/Auckland" });
  await ended(user("busy"));
  expect(await astray(user("busy"), "Pacific/Auckland")).toEqual([]);
});

async function fillCategory(userId: string, todos: number): Promise<number> {
  const { id } = await page.send(userId, "category.create", { name: "Everything" });
  await storeTodos(stack.config.databaseUrl, userId, todos, { id: "n", category_id: String(id) });
  return id;
}

test("a category of 10,000 todos is gone at once, and every todo loses it", async () => {
  const id = await fillCategory(stack.sub, 10_000);
  const headers = { "idempotency-key": crypto.randomUUID() };
  expect((await stack.rest("DELETE", `/categories/${id}`, { headers })).status).toBe(204);
  const [{ named }] = await sql`select count(*)::int as named from todos where category_id = ${id}::bigint`;
  expect(named).toBeGreaterThan(0);
  const list = (query: string) => stack.rest("GET", `/todos?${query}`);
  const [all, ofIt, found] = [
    await list("page=500"),
    await list(`category_id=${id}`),
    await list(`category_id=${id}&q=todo`),
  ];
  expect(new Set(all.body.data.map(({ category }: { category: unknown }) => category))).toEqual(
    new Set([null]),
  );
  expect([ofIt.body.data, found.body.data]).toEqual([[], []]);
  const created = await stack.rest("POST", "/todos", { body: { title: "x", category_id: id } });
  expect(created.status).toBe(422);
  await ended(stack.sub);
  const [row] = await sql`
    select (select count(*)::int from todos where user_id = ${stack.sub} and category_id is null) as without,
      (select count(*)::int from todos where user_id = ${stack.sub} and former_category_id = ${id}::bigint) as former`;
  expect(row).toEqual({ without: 10_000, former: 10_000 });
});

test("a small category is deleted in one transaction", async () => {
  const id = await fillCategory(user("small"), 900);
  await untilAnswered(
    () => page.send(user("small"), "category.delete", { category_id: id }),
    (answer) => answer === null,
  );
  expect(
    await sql`select from todos where user_id = ${user("small")} and category_id is not null`,
  ).toHaveLength(0);
  expect(await sql`select distinct xmin::text from todos where user_id = ${user("small")}`).toHaveLength(1);
  expect(await sql`select from works where user_id = ${user("small")}`).toHaveLength(0);
});

test("closing the account ends the work", async () => {
  await remind(user("gone"), 8_000);
  await moveTo(user("gone"), "Pacific/Auckland");
  for (;;) if ((await page.send(user("gone"), "user.delete", {})) === null) break;
  expect(await sql`select from works where user_id = ${user("gone")}`).toHaveLength(0);
  expect(await sql`select from reminders where user_id = ${user("gone")}`).toHaveLength(0);
});
