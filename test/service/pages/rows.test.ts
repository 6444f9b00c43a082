import { expect, test } from "bun:test";
import { addDays } from "../../../shared/domain/day/day.ts";
import { useStack } from "../../harness.ts";
import type { Page } from "../../support/identity/browser.ts";
import { newPlainPerson, textOf } from "../../support/pages/plain.ts";

const stack = await useStack();
const today = new Date().toISOString().slice(0, 10);
const many = "/account/todos/many";

/** A person who presses buttons in the rows of a list, and takes that back from the notice. */
async function newPerson() {
  const { account, rest, call } = await newPlainPerson(stack);
  const make = async (path: string, body: object): Promise<number> => (await rest("POST", path, body)).id;
  return {
    ...{ account, rest, call, make },
    makeHabit: (name: string) => make("/habits", { name, type: "good", frequency: "daily", grace_days: 0 }),
    /** @returns what takes it back */
    async press(path: string, action: string, answers: Record<string, string | string[]>, said: string) {
      const page = await account.submit(await account.open(path), action, answers);
      expect(textOf(page)).toContain(said);
      return async () =>
        expect(textOf(await account.submit(page, "/account/tick/undo", {}))).toContain("Taken back.");
    },
  };
}

test("what is overdue moves to today by one button, and back by one undo", async () => {
  const { account, rest, make, press } = await newPerson();
  for (const ago of [3, 1, 0]) await make("/todos", { title: "Todo", due_date: addDays(today, -ago) });
  const overdue = async () => (await rest("GET", "/todos?due=overdue")).meta.total;
  expect([await overdue(), (await account.open("/account")).text.includes("Move to today</button>")]).toEqual(
    [2, true],
  );
  const undo = await press("/account", many, { act: "today" }, "Moved to today: 2 at once");
  expect(await overdue()).toBe(0);
  const logged = await account.open("/account/actions?tool=todo.update");
  expect(textOf(logged)).toContain("Changed 2 todos: Todo and Todo");
  await undo();
  expect(await overdue()).toBe(2);
});

const lists = ["/account", "/account/todos"];
test.each(lists)("several todos on %s are put off, edited and done at once with one undo", async (path) => {
  const { rest, make, press } = await newPerson();
  const home = await make("/categories", { name: "Home" });
  const ids: number[] = [];
  for (const n of [1, 2, 3]) ids.push(await make("/todos", { title: `Todo ${n}`, due_date: today }));
  const before = { due_date: today, is_completed: false, category: null };
  const later = addDays(today, 5);
  const edit = { act: "edited", due_date: later, category: String(home) };
  const tomorrow = { ...before, due_date: addDays(today, 1) };
  const changed = { ...before, due_date: later, category: { id: home } };
  const done = { is_completed: true };
  for (const [chosen, answers, said, after] of [
    [[0, 2], { act: "tomorrow" }, "Moved to tomorrow: 2 at once", [tomorrow, before, tomorrow]],
    [[0, 1], edit, "Changed: 2 at once", [changed, changed, before]],
    [[0, 1, 2], { act: "done" }, "Done: 3 at once", [done, done, done]],
  ] as const) {
    const todos = () => Promise.all(ids.map((id) => rest("GET", `/todos/${id}`)));
    const todo_id = chosen.map((n) => String(ids[n]));
    const undo = await press(path, many, { ...answers, todo_id }, said);
    expect(await todos()).toMatchObject([...after]);
    await undo();
    expect(await todos()).toMatchObject([before, before, before]);
  }
});

test("a habit is skipped, paused and archived in its row, each with one undo", async () => {
  const { account, rest, makeHabit, press } = await newPerson();
  const id = await makeHabit("Run");
  const habit = () => rest("GET", `/habits/${id}`);
  const none = { paused_from: null, paused_through: null, skipped_dates: [] };
  const act = (done: string, said: string) =>
    press("/account/habits", "/account/tick", { habit_id: String(id), date: today, done }, said);
  const choices = async () =>
    [...(await account.open("/account/habits")).text.matchAll(/name="done" value="(\w+)">(\w[^<]+)</g)]
      .map(([, value, label]) => `${value} ${label}`)
      .sort();
  const acts = ["archive Archive", "pause Pause for a week", "skip Skip today"];
  expect(await choices()).toEqual(acts);
  const unskip = await act("skip", "Skipped: Run");
  expect(await habit()).toMatchObject({ ...none, skipped_dates: [today] });
  await unskip();
  await act("pause", "Paused for a week: Run");
  expect(await habit()).toMatchObject({ paused_from: today, paused_through: addDays(today, 6) });
  expect(await choices()).toEqual(["unpause Bring it back"]);
  await act("unpause", "Brought back: Run");
  expect(await habit()).toMatchObject(none);
  const unarchive = await act("archive", "Archived: Run");
  expect(await habit()).toMatchObject({ paused_from: today, paused_through: null });
  expect(textOf(await account.open("/account/habits"))).toContain("Archived 1");
  await unarchive();
  expect(await habit()).toMatchObject(none);
  const paused_from = addDays(today, -2);
  await rest("PATCH", `/habits/${id}`, { paused_from });
  expect(await choices()).toEqual(["resume Bring it back"]);
  await act("resume", "Brought back: Run");
  expect(await habit()).toMatchObject({ paused_from, paused_through: addDays(today, -1) });
});

test("habits are done or avoided today, which Today counts, and not any more by another press", async () => {
  const { account, rest, make, press } = await newPerson();
  const id = await make("/habits", { name: "Smoke", type: "bad", frequency: "daily" });
  await make("/habits", { name: "Read", type: "good", frequency: "daily" });
  const done = async () => (await rest("GET", "/habits?completed_today=true")).meta.total;
  const { text } = await account.open("/account");
  for (const words of ["Avoided today: Smoke", "Done today: Read", "0 of 2 done today"])
    expect(text).toContain(words);
  const habit_id = String(id);
  await press("/account", "/account/tick", { habit_id, done: "yes" }, "Habits 1 of 2");
  expect([await done(), (await account.open("/account")).text.includes("Undo: Smoke")]).toEqual([1, true]);
  await press("/account", "/account/tick", { habit_id, done: "no" }, "Habits 0 of 2");
  expect(await done()).toBe(0);
});

test("the days before today are ticked in the list, and a streak that ends tonight comes first", async () => {
  const { account, rest, makeHabit, press } = await newPerson();
  await makeHabit("Read");
  const id = await makeHabit("Run");
  const yesterday = addDays(today, -1);
  expect((await account.open("/account")).text).toContain('aria-label="Yesterday, not done: Run"');
  const on = { habit_id: String(id), on: `${yesterday} yes` };
  await press("/account", "/account/tick", on, "Done: Run");
  expect((await rest("GET", `/habits/${id}/completions`)).data).toMatchObject([{ date: yesterday }]);
  const { text } = await account.open("/account");
  expect(text).toContain('aria-label="Yesterday, done: Run"');
  const [first = ""] = text.split(/<li class="item[^"]*" id="habit-/).slice(1);
  expect([first.startsWith(`${id}"`), first.includes("ends tonight")]).toEqual([true, true]);
});

test("a newcomer's first page offers a first habit and a first todo", async () => {
  const { account, rest } = await newPerson();
  const page = await account.open("/account");
  expect(textOf(page)).toContain("Renew the passport in 3 weeks");
  const [, link = ""] = /href="([^"]+)"[^>]*>habit Read every evening/.exec(page.text) ?? [];
  const preview = await account.open(link.replaceAll("&amp;", "&"));
  await account.submit(preview, "/account/habits/new", {});
  expect((await rest("GET", "/habits")).data).toMatchObject([{ name: "Read", time_of_day: "evening" }]);
});

test("the scripts of a page have at most 25 KB together", async () => {
  const { account, makeHabit } = await newPerson();
  const id = await makeHabit("Read");
  for (const path of ["", "/todos", "/habits", `/habits/${id}`, "/actions", "/settings", "/connect"]) {
    const { text } = await account.open(`/account${path}`);
    const sources = [...text.matchAll(/<script[^>]* src="([^"]+)"/g)].map(([, src = ""]) => src);
    const scripts = await Promise.all(sources.map(async (src) => (await account.open(src)).text));
    expect([path, sources.length > 0, scripts.join("").length <= 25_000]).toEqual([path, true, true]);
  }
});

test("markup in anything that others wrote stays text", async () => {
  const { account, call, make } = await newPerson();
  const evil = `"><img src=x onerror=alert(1)><script>alert(2)</script>`;
  const category_id = await make("/categories", { name: evil });
  await make("/habits", { name: evil, type: "good", frequency: "daily", category_id });
  await make("/todos", { title: evil, context: evil, category_id });
  for (const tool of ["create-todo", evil.slice(0, 30)]) await call(tool, { title: evil, [evil]: evil });
  const isShown = ({ text }: Page) => text.includes(Bun.escapeHTML("<img src=x onerror=alert(1)>"));
  for (const path of ["/account", "/account/todos", "/account/find?q=img", "/account/actions"])
    expect([path, isShown(await account.open(path))]).toEqual([path, true]);
  const filtered = `/account/actions?tool=${encodeURIComponent(evil)}`;
  for (const path of ["/account", "/account/todos", "/account/find?q=img", "/account/actions", filtered]) {
    const { text } = await account.open(path);
    expect([path, /<img|<script(?![^>]* src="\/)/.test(text)]).toEqual([path, false]);
  }
});
