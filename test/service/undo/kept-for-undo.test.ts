import { afterAll, expect, test } from "bun:test";
import { pruneDeletions } from "../../../workers/upkeep/old-rows.ts";
import { useStack } from "../../harness.ts";
import { type ActionKey, openUndoDoor, whole } from "../../support/undo-door.ts";

// Registered before the stack's own, so that it runs first: the stack counts connections.
afterAll(() => page.close());
const { page, someone } = await openUndoDoor(await useStack());
type Someone = Awaited<ReturnType<typeof someone>>;

const count = async (table: string, { sub }: Someone): Promise<number> =>
  (await page.pool.query(`select from ${table} t where user_id = $1`, [sub])).rowCount ?? 0;

async function completedHabit({ rest }: Someone): Promise<number> {
  const { id } = (await rest("POST", "/habits", { name: "Walk", type: "good", frequency: "daily" })).body;
  await rest("POST", `/habits/${id}/complete`);
  return id;
}

test("completions of a deleted habit count nowhere until it comes back", async () => {
  const ada = await someone();
  const { rest, undo, changes } = ada;
  const id = await completedHabit(ada);
  await completedHabit(ada);
  const strip = async () => Object.values((await rest("GET", "/dashboard")).body.activity_strip).at(-1);
  expect(await strip()).toBe(2);
  await rest("DELETE", `/habits/${id}`);
  expect(await strip()).toBe(1);
  expect((await rest("GET", `/habits/${id}/completions`)).status).toBe(404);
  expect(await count("habit_completions", ada)).toBe(2);
  expect(await undo((await changes()).slice(0, 1))).toEqual(whole(1));
  expect(await strip()).toBe(2);
});

test("what is kept for an undo goes when its thing is forgotten", async () => {
  const ada = await someone();
  const { sub, rest } = ada;
  const id = await completedHabit(ada);
  const category = (await rest("POST", "/categories", { name: "Home" })).body.id;
  await rest("POST", "/todos", { title: "Sweep", category_id: category });
  await rest("PATCH", `/habits/${id}`, { category_id: category });
  await rest("DELETE", `/categories/${category}`);
  await page.send(sub, "action.forget", { kind: "category", id: category });
  for (const table of ["habits", "todos"])
    expect(await count(`(select * from ${table} where former_category_id is not null)`, ada)).toBe(0);
  await rest("DELETE", `/habits/${id}`);
  await page.send(sub, "action.forget", { kind: "habit", id });
  expect(await count("habit_completions", ada)).toBe(0);
});

test("completions of a deleted habit go after 30 days, unless it came back or was deleted again since", async () => {
  const ada = await someone();
  const { rest, undo, changes, sub } = ada;
  const [gone, back, again] = [
    await completedHabit(ada),
    await completedHabit(ada),
    await completedHabit(ada),
  ];
  await rest("DELETE", `/habits/${gone}`);
  for (const id of [back, again]) {
    await rest("DELETE", `/habits/${id}`);
    const [deletion] = await changes();
    expect(await undo([deletion as ActionKey])).toEqual(whole(1));
  }
  await page.pool.query("update deletions set deleted_at = now() - interval '31 days' where user_id = $1", [
    sub,
  ]);
  await rest("DELETE", `/habits/${again}`);
  expect(await pruneDeletions(page)).toBe(3);
  const { rows } = await page.pool.query(
    "select habit_id::int as id from habit_completions where user_id = $1 order by 1",
    [sub],
  );
  expect(rows).toEqual([{ id: back }, { id: again }]);
  const [deletion] = await changes();
  expect(await undo([deletion as ActionKey])).toEqual(whole(1));
  expect((await rest("GET", `/habits/${again}/completions`)).body.data).toHaveLength(1);
});
