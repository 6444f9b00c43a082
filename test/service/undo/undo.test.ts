import { expect, test } from "bun:test";
import { pruneDeletions } from "../../../workers/upkeep/upkeep.ts";
import { useUndoDoor, whole } from "../../support/undo-door.ts";

const { page, someone } = await useUndoDoor();
const habit = { name: "Walk", type: "good", frequency: "daily" };
const create = (title: string) => ({ method: "POST", path: "/todos", body: { title } });

test("what a tool, a script and a page change is logged with what it was before and after", async () => {
  const { agent, rest, sub, log } = await someone();
  const { id } = (await rest("POST", "/todos", { title: "Pay rent", due_date: "2030-01-01" })).body;
  await agent.call("update-todo", { todo_id: id, title: "Pay the rent", clear: ["due_date"] });
  await page.send(sub, "todo.toggle", { todo_id: id, is_completed: true });
  await rest("DELETE", `/todos/${id}`);
  const gone = await rest("DELETE", `/todos/${id}`);
  const rows = await log();
  expect(rows.map(({ door, tool, outcome, resource_name }) => [door, tool, outcome, resource_name])).toEqual([
    ["rest", "todo.create", "ok", "Pay rent"],
    ["mcp", "update-todo", "ok", "Pay the rent"],
    ["page", "todo.toggle", "ok", "Pay the rent"],
    ["rest", "todo.delete", "ok", "Pay the rent"],
    ["rest", "todo.delete", "not_found", null],
  ]);
  const images = rows.map(({ before, after }) => [before, after].map((json) => JSON.parse(json ?? "null")));
  const rent = { title: "Pay rent", due_date: "2030-01-01" };
  const open = { is_completed: false, is_important: false, recurrence_from: "due" };
  const done = expect.objectContaining({ title: "Pay the rent", is_completed: true });
  const of = (todo: object) => ({ [`todos/${id}`]: todo });
  expect(images[0]).toEqual([{}, of({ ...rent, ...open })]);
  expect(images[1]).toEqual([of(rent), of({ title: "Pay the rent", due_date: null })]);
  expect(images[3]).toEqual([of(done), {}]);
  expect(rows[4]).toMatchObject({ message: gone.body.message, arguments: `{"todo_id":${id}}` });
});

test("a repeat over REST, what changes nothing on a page and a read leave no row", async () => {
  const { rest, sub, log, once } = await someone();
  for (const _ of [1, 2]) await once("POST", "/todos", { title: "Once" });
  await rest("GET", "/todos");
  await page.send(sub, "user.configure", { day_start_hour: 3 });
  expect((await log()).map(({ tool }) => tool)).toEqual(["todo.create"]);
});

test("a reminder that follows its user's zone was not changed, and what is deleted with it keeps its name in the log", async () => {
  const { rest, sub, log, last, undo, world } = await someone();
  const { id } = (await rest("POST", "/todos", { title: "Call home", due_date: "2031-03-03" })).body;
  await rest("PUT", `/todos/${id}/reminder`, { remind_at: "2031-03-03T09:00" });
  await page.send(sub, "user.configure", { time_zone: "Asia/Tokyo" });
  const before = await world();
  await rest("DELETE", `/todos/${id}`);
  const rows = await log();
  expect(rows.map(({ tool }) => tool)).toEqual(["todo.create", "reminder.set", "todo.delete"]);
  expect(rows[2]).toMatchObject({ resource_kind: "todo", resource_id: id, resource_name: "Call home" });
  expect(await undo(await last())).toEqual(whole(1));
  expect(await world()).toEqual(before);
});

test("an undo of an undo, and so on, leaves one state on the first action", async () => {
  const { rest, last, undo, log } = await someone();
  const { id } = (await rest("POST", "/todos", { title: "Here and gone" })).body;
  for (const isUndone of [true, false, true, false]) {
    expect(await undo(await last())).toEqual(whole(1));
    expect((await rest("GET", `/todos/${id}`)).status).toBe(isUndone ? 404 : 200);
    expect((await log())[0]?.undone_by !== null).toBe(isUndone);
  }
});

test("the two ends of a pause are taken back together, or stay when somebody changed one of them", async () => {
  const { rest, last, undo } = await someone();
  const { id } = (await rest("POST", "/habits", habit)).body;
  const shown = async () => (await rest("GET", `/habits/${id}`)).body;
  await rest("PATCH", `/habits/${id}`, { paused_from: "2031-03-03" });
  const archived = await last();
  await rest("PATCH", `/habits/${id}`, { paused_through: "2031-03-06" });
  expect(await undo(archived)).toMatchObject([
    { undone: "none", conflicts: [{ fields: ["paused_through"] }] },
  ]);
  expect(await shown()).toMatchObject({ paused_from: "2031-03-03", paused_through: "2031-03-06" });
  for (const action of [await last(), archived]) expect(await undo(action)).toEqual(whole(1));
  expect(await shown()).toMatchObject({ paused_from: null, paused_through: null });
});

test("two undos at the same time are one", async () => {
  const { rest, last, undo, log } = await someone();
  const { id } = (await rest("POST", "/todos", { title: "Keep me" })).body;
  await rest("DELETE", `/todos/${id}`);
  const deletion = await last();
  const ends = await Promise.all(Array.from({ length: 8 }, () => undo(deletion)));
  expect(ends.flat().filter(({ undone }) => undone === "whole")).toHaveLength(1);
  expect((await log()).filter(({ tool }) => tool === "action.undo")).toHaveLength(1);
  expect((await rest("GET", `/todos/${id}`)).body.title).toBe("Keep me");
});

test("what is forgotten is gone from the log, the stored answers and all notes, and other things are not", async () => {
  const { agent, rest, once, sub, undo, last, log } = await someone();
  const secret = { title: "Buy the ring", description: "for the proposal" };
  const { id } = (await once("POST", "/todos", secret)).body;
  const kept = (await rest("POST", "/todos", { title: "Buy milk" })).body.id;
  const golden = { title: "Buy the golden ring", description: "x".repeat(4_900) };
  await agent.call("update-todo", { todo_id: id, ...golden });
  expect(await page.send(sub, "action.forget", { kind: "todo", id })).toMatchObject({ code: "conflict" });
  await rest("DELETE", `/todos/${id}`);
  await rest("DELETE", `/todos/${kept}`);
  const [keptDeletion, deletion] = [await last(), await last(1)];
  for (const _ of ["once", "again"])
    expect(await page.send(sub, "action.forget", { kind: "todo", id })).toBeNull();
  const stored: string[] = [];
  for (const table of ["action_log", "action_images", "inbox", "deletions", "todos"]) {
    const all = `select t::text as text from ${table} t where user_id = $1`;
    stored.push(...(await page.pool.query(all, [sub])).rows.map(({ text }) => text));
  }
  expect(stored.filter((text) => /ring|proposal|xxxx/.test(text))).toEqual([]);
  expect(await log()).toHaveLength(5);
  const repeat = await once("POST", "/todos", secret);
  expect([repeat.status, repeat.body.message]).toEqual([404, "This was deleted and then forgotten."]);
  expect(await undo(deletion)).toMatchObject([{ undone: "none" }]);
  expect(await undo(keptDeletion)).toEqual(whole(1));
  expect((await rest("GET", `/todos/${kept}`)).body.title).toBe("Buy milk");
  const returned = await last();
  await rest("DELETE", `/todos/${kept}`);
  await page.send(sub, "action.forget", { kind: "todo", id: kept });
  expect(await undo(returned)).toMatchObject([{ undone: "none" }]);
});

test("a tool of an agent that has the name of an undo is none", async () => {
  const { agent, log, undo } = await someone();
  await agent.call("action.undo", { called_at: "some day", request_id: [] });
  const rows = await log();
  expect(rows).toMatchObject([{ tool: "action.undo", door: "mcp" }]);
  expect(await undo(rows)).toMatchObject([{ undone: "none" }]);
});

const several = (count: number, text: string, others: object = {}) => ({
  todos: Array.from({ length: count }, (_, index) => ({ title: `${text} ${index}`, ...others })),
});

test("what is forgotten is gone also where a row had no room for it, or another thing's row has its name", async () => {
  const { agent, rest, sub, log, world } = await someone();
  const { id: category_id } = (await rest("POST", "/categories", { name: "Divorce" })).body;
  await agent.call("create-todo", several(25, "Secret", { description: "x".repeat(90) }));
  await agent.call("create-todo", { title: "See somebody", category: "Divorce" });
  await agent.call("create-todo", { title: "Refused", category: "Nowhere" });
  const { todos = [] } = await world();
  const last = Number(todos.find(({ title }) => title === "Secret 24")?.id);
  for (const path of [`/todos/${last}`, `/categories/${category_id}`]) await rest("DELETE", path);
  await page.send(sub, "action.forget", { kind: "todo", id: last });
  await page.send(sub, "action.forget", { kind: "category", id: category_id });
  const stored = JSON.stringify(await log());
  expect(stored).not.toContain("Secret 24");
  expect(stored).not.toContain("Divorce");
  expect(stored).toContain("See somebody");
});

test("a category that a person uses stays, however much of it an agent made", async () => {
  const { agent, rest, sub, changes, undo } = await someone();
  const { id } = (await rest("POST", "/categories", { name: "Moving" })).body;
  for (let call = 0; call < 9; call++)
    await agent.call("create-todo", several(25, `Box ${call}`, { category_id: id }));
  const agents = await changes();
  const mine = await page.send(sub, "todo.create", { title: "Cancel the lease", category_id: id });
  const ends = await undo(agents);
  expect(ends.filter(({ undone }) => undone === "whole")).toHaveLength(9);
  expect(ends.at(-1)).toMatchObject({ undone: "none", conflicts: [{ why: "in_use" }] });
  expect((await rest("GET", `/todos/${mine.id}`)).body.category.id).toBe(id);
});

test("no rule comes back to a todo that has lost its date", async () => {
  const { rest, sub, last, undo } = await someone();
  const made = { title: "Water", due_date: "2031-03-03", recurrence: "FREQ=DAILY" };
  const { id } = (await rest("POST", "/todos", made)).body;
  await rest("PATCH", `/todos/${id}`, { recurrence: null, title: "Water them" });
  const change = await last();
  await page.send(sub, "todo.update", { todo_id: id, due_date: null });
  expect(await undo(change)).toMatchObject([{ undone: "part" }]);
  const found = (await rest("GET", `/todos/${id}`)).body;
  expect(found).toMatchObject({ title: "Water", due_date: null, recurrence: null });
});

test("a reminder is taken back however exactly its wall time was given", async () => {
  const { rest, last, undo } = await someone();
  const { id } = (await rest("POST", "/todos", { title: "Call" })).body;
  for (const seconds of ["", ":00.5", ":00.1234567", ":00.123456789", ":00.999999999"]) {
    const remind_at = `2030-01-01T09:00${seconds}`;
    expect((await rest("PUT", `/todos/${id}/reminder`, { remind_at })).status).toBe(200);
    expect(await undo(await last())).toEqual(whole(1));
  }
});

test("a group that is refused as a whole has its failed operation in the log", async () => {
  const { rest, log } = await someone();
  const operations = [create("One"), { method: "DELETE", path: "/todos/999999999" }, create("Two")];
  expect((await rest("POST", "/batch", { atomic: true, operations })).status).toBe(200);
  const failed = { tool: "todo.delete", outcome: "not_found", before: null, after: null };
  expect(await log()).toMatchObject([failed]);
});

test("of more than a worker does in one go, as many actions as fit are taken back, and the rest stand", async () => {
  const { agent, changes, undo, world } = await someone();
  await agent.call("create-todo", several(25, "Long"));
  const todo_ids = (await world()).todos?.map((todo) => Number(todo.id));
  const before = await world();
  for (let call = 0; call < 10; call++)
    await agent.call("update-todo", { todo_ids, description: String(call).repeat(4_500) });
  const actions = (await changes()).slice(0, 10);
  const preview = await undo(actions, true);
  expect(preview).toEqual(whole(2));
  for (let done = 0; done < actions.length; ) {
    const ends = await undo(actions.slice(done));
    expect(ends).toEqual(whole(2));
    done += ends.length;
  }
  expect(await world()).toEqual(before);
});

type Someone = Awaited<ReturnType<typeof someone>>;

const count = async (table: string, { sub }: Someone): Promise<number> =>
  (await page.pool.query(`select from ${table} t where user_id = $1`, [sub])).rowCount ?? 0;

async function completedHabit({ rest }: Someone): Promise<number> {
  const { id } = (await rest("POST", "/habits", habit)).body;
  await rest("POST", `/habits/${id}/complete`);
  return id;
}

test("completions of a deleted habit count nowhere until it comes back", async () => {
  const ada = await someone();
  const { rest, undo, last } = ada;
  const id = await completedHabit(ada);
  await completedHabit(ada);
  const strip = async () => Object.values((await rest("GET", "/dashboard")).body.activity_strip).at(-1);
  expect(await strip()).toBe(2);
  await rest("DELETE", `/habits/${id}`);
  expect(await strip()).toBe(1);
  expect((await rest("GET", `/habits/${id}/completions`)).status).toBe(404);
  expect(await count("habit_completions", ada)).toBe(2);
  expect(await undo(await last())).toEqual(whole(1));
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
  const { rest, undo, last, sub } = ada;
  const [gone, back, again] = [
    await completedHabit(ada),
    await completedHabit(ada),
    await completedHabit(ada),
  ];
  await rest("DELETE", `/habits/${gone}`);
  for (const id of [back, again]) {
    await rest("DELETE", `/habits/${id}`);
    expect(await undo(await last())).toEqual(whole(1));
  }
  const later = "update deletions set deleted_at = now() - interval '31 days' where user_id = $1";
  await page.pool.query(later, [sub]);
  await rest("DELETE", `/habits/${again}`);
  expect(await pruneDeletions(page)).toBe(3);
  const left = "select habit_id::int as id from habit_completions where user_id = $1 order by 1";
  expect((await page.pool.query(left, [sub])).rows).toEqual([{ id: back }, { id: again }]);
  expect(await undo(await last())).toEqual(whole(1));
  expect((await rest("GET", `/habits/${again}/completions`)).body.data).toHaveLength(1);
});
