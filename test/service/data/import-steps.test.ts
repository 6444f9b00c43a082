import { expect, test } from "bun:test";
import { partsOf } from "../../../api/doors/pages/import/parts.ts";
import { readWork } from "../../../api/queries/user/read.ts";
import { maxImportParts } from "../../../shared/contracts/import/contracts.ts";
import type { JsonBody } from "../../harness.ts";
import { eventually } from "../../support/reminder/stack.ts";
import { anonymous, asFile, daily, database, kept, person } from "./person.ts";

/** A file of as many steps as three habits and more than a thousand todos take, which follow each other. */
function longLife() {
  const habits = [1, 2, 3].map((id) => ({
    ...{ ...daily, id, name: `Habit ${id}`, grace_days: 1, category_id: 1 },
    created_at: "2020-01-01T00:00:00Z",
  }));
  const dates = Array.from({ length: 1_500 }, (_, n) => new Date(n * 86_400_000).toISOString().slice(0, 10));
  const completions = habits.flatMap(({ id }) =>
    dates.map((date) => ({ habit_id: id, date, completed_at: `${date}T08:00:00.000000Z` })),
  );
  const todos = Array.from({ length: 1_200 }, (_, n) => ({
    ...{ id: n + 1, title: `Todo ${n}`, is_completed: n < 1_199, recurrence_from: "due", category_id: 1 },
    next_todo_id: n < 1_199 ? 1_200 - n : null,
  }));
  const categories = [{ id: 1, name: "Long ago", color: "#112233", icon: null }];
  return kept({ categories, habits, completions, todos });
}

/** Without times of the last change, which an undo renews. */
const unwritten = ({ exported_at: _, ...file }: JsonBody) =>
  JSON.parse(JSON.stringify(file), (field, value) => (field === "updated_at" ? undefined : value));

/** Makes PostgreSQL refuse todos of this title. @returns what mends it */
async function breakInsertOf(title: string): Promise<() => Promise<unknown>> {
  await database.pool.query(`
    create or replace function refuse_boom() returns trigger language plpgsql as $$
    begin raise exception 'boom'; end $$;
    create trigger refuse_boom before insert on todos for each row when (new.title = '${title}')
    execute function refuse_boom()`);
  return () => database.pool.query("drop trigger refuse_boom on todos");
}

test("a long import comes in steps as one action which is taken back and brought again to the row", async () => {
  const [ada, bob] = [await person(), await person()];
  const { work_id, ...first } = await ada.send("import.apply", await ada.stage([longLife()]));
  expect([first.categories, first.habits, first.todos]).toEqual([1, 0, 0]);
  // Until its end nothing else of the person that takes long can begin.
  const [key] = await ada.log();
  const whole = { categories: 1, habits: 3, completions: 4_500, todos: 1_200 };
  expect(await ada.outcomeOf(work_id)).toEqual(whole);
  const brought = await ada.exported();
  expect(brought.todos.filter(({ next_todo_id }: JsonBody) => next_todo_id === null)).toHaveLength(1);
  expect(await bob.bring(asFile(brought))).toEqual(whole);
  expect(anonymous(await bob.exported())).toEqual(anonymous(brought));
  expect(await ada.log()).toEqual([{ ...key, tool: "import.apply" }]);
  expect(await ada.undo()).toMatchObject({ undone: "whole", conflicts: [] });
  const { categories, habits, todos, completions } = await ada.exported();
  expect([categories, habits, todos, completions]).toEqual([[], [], [], []]);
  expect(await ada.undo()).toMatchObject({ undone: "whole", conflicts: [] });
  expect(unwritten(await ada.exported())).toEqual(unwritten(brought));
});

test("an import under way is taken back as a whole once it has come as a whole", async () => {
  const ada = await person();
  const { work_id } = await ada.send("import.apply", await ada.stage([longLife()]));
  const actions = await ada.keys();
  const { ends } = await eventually(async () => {
    const answer = await ada.send("action.undo", { actions });
    return answer.code === "overloaded" ? undefined : answer;
  });
  // An undo whose answer came too late is found done by the next one.
  expect(ends[0].conflicts.filter(({ why }: { why: string }) => why !== "taken_back")).toEqual([]);
  expect(await ada.outcomeOf(work_id)).toMatchObject({ todos: 1_200 });
  expect((await ada.exported()).todos).toEqual([]);
});

test("another file waits until an import has ended, so that no part of it is replaced", async () => {
  const ada = await person();
  const { work_id } = await ada.send("import.apply", await ada.stage([longLife()]));
  const other = { name: "a.csv", text: "TYPE,CONTENT\ntask,Sow\n" };
  const staged = await ada.stage([other], (await person()).plan(other));
  expect(await ada.outcomeOf(work_id)).toMatchObject({ todos: 1_200 });
  expect(await ada.apply(staged)).toMatchObject({ todos: 1 });
});

test("an import that the database refuses at its end makes nothing, and says so", async () => {
  const ada = await person();
  const mend = await breakInsertOf("Boom");
  const file = { name: "Garden.csv", text: "TYPE,CONTENT\ntask,Sow\ntask,Boom\n" };
  const staged = await ada.stage([file]);
  expect(await ada.send("import.apply", staged)).toMatchObject({ code: "internal", applied: "no" });
  const { categories, todos } = await ada.exported();
  expect([categories, todos]).toEqual([[], []]);
  await mend();
  expect(await ada.send("import.apply", staged)).toMatchObject({ categories: 1, todos: 2 });
});

test("an import that a fault stops in between says so; the same file brings the rest, or an undo takes back what came", async () => {
  const ada = await person();
  const mend = await breakInsertOf("Todo 900");
  const { work_id } = await ada.send("import.apply", await ada.stage([longLife()]));
  const ended = () => eventually(async () => (await readWork(ada.query(), work_id))?.outcome ?? undefined);
  expect(JSON.parse(await ended())).toMatchObject({ refusal: { code: "internal" } });
  await mend();
  const came = (await ada.exported()).todos.length;
  expect(came).toBeGreaterThan(100);
  const actions = await ada.keys();
  expect(await ada.bring(longLife())).toMatchObject({ habits: 0, todos: 1_200 - came });
  expect((await ada.exported()).todos).toHaveLength(1_200);
  const { ends } = await ada.send("action.undo", { actions });
  expect(ends).toMatchObject([{ undone: "part", conflicts: [{ why: "in_use" }] }]);
  expect((await ada.exported()).todos).toHaveLength(1_200 - came);
});

test("a file that is more than one import takes comes in parts, each at once", async () => {
  const ada = await person();
  const tasks = Array.from({ length: 2_100 }, (_, n) => `task,Todo ${n}`).join("\n");
  const file = { name: "Inbox.csv", text: `TYPE,CONTENT\n${tasks}` };
  expect(await ada.plan(file)).toMatchObject({ here: 0, later: 100 });
  await ada.bring(file);
  const total = async () => (await ada.rest("GET", "/todos")).body.meta.total;
  await eventually(async () => (await total()) === 2_000);
  expect(await ada.plan(file)).toMatchObject({ here: 2_000, later: 0 });
  expect(await ada.bring(file)).toMatchObject({ todos: 100 });
  expect(await total()).toBe(2_100);
  const dates = Array.from({ length: 20_001 }, (_, n) => new Date(n * 86_400_000).toISOString().slice(0, 10));
  const habit = { ...daily, name: "Swim", grace_days: 1, created_at: "2026-01-01T00:00:00Z" };
  const completions = dates.map((date) => ({ habit_id: 1, date }));
  const habits = [1, 2].map((id) => ({ ...habit, id }));
  expect(await ada.plan(kept({ habits, completions }))).toMatchObject({
    later: 0,
    completions: 0,
    leftCount: 1,
  });
});

test("a file of long texts comes in parts that are no more than can wait, and all of its things are looked for", async () => {
  const ada = await person();
  const texts = Array.from({ length: 500 }, (_, n) => `task,Todo ${n},"${'""'.repeat(4_900)}"`).join("\n");
  const plan = await ada.plan({ name: "Inbox.csv", text: `TYPE,CONTENT,DESCRIPTION\n${texts}` });
  expect(plan.things.todos.length + plan.later).toBe(500);
  expect(plan.things.todos.length).toBeGreaterThan(150);
  expect([...partsOf(plan.things)].length).toBeLessThanOrEqual(maxImportParts);
  await ada.bring({ name: "Inbox.csv", text: "TYPE,CONTENT\ntask,The last one\n" });
  const many = Array.from({ length: 5_001 }, (_, n) => `task,Todo ${n}`).join("\n");
  const file = { name: "Inbox.csv", text: `TYPE,CONTENT\n${many}\ntask,The last one\n` };
  expect(await ada.plan(file)).toMatchObject({ here: 1, later: 3_001 });
});
