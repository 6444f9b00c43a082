import { describe, expect, test } from "bun:test";
import { useStack } from "../../harness.ts";
import { whenNotBusy } from "../../support/odd-values.ts";
import { fieldsOf, newPlainPerson, textOf } from "../../support/pages/plain.ts";

const stack = await useStack();
const { baseUrl } = stack.config;
const [newTodo, newHabit, undoPath] = ["/account/todos/new", "/account/habits/new", "/account/tick/undo"];

async function newPerson() {
  const person = await newPlainPerson(stack);
  return {
    ...person,
    preview: (line: string, more: Record<string, string> = {}) =>
      person.account.open(`/account/add?${new URLSearchParams({ line, ...more })}`),
    things: async (path: string) => (await person.rest("GET", path)).data,
  };
}

describe("the line at the top", () => {
  test("is on every page, leads to a preview that makes nothing, and then to where the person was", async () => {
    const { account, rest, preview, things } = await newPerson();
    for (const path of ["/find", "/approvals", "/agents"]) {
      const { forms } = await account.open(`/account${path}`);
      expect(forms.map(({ action }) => action)).toContain("/account/add");
    }
    const from = "/account/settings";
    expect(fieldsOf(await account.open(from), "/account/add")).toMatchObject({ from });
    const shown = await preview("Pay rent every month on the 1st at 9 #Home @desk 10min", { from });
    expect(textOf(shown)).toMatch(
      /Due .* Remind me .* 09:00 .*every month on the 1st .*10 min .*desk .*Home/,
    );
    expect(textOf(shown)).toContain("There is no category Home yet.");
    expect(await things("/todos")).toEqual([]);

    const saved = await account.submit(shown, newTodo, {});
    expect(saved.url).toStartWith(`${baseUrl}${from}?tick=made_`);
    expect(textOf(saved)).toContain("Added: Pay rent");
    const [todo] = await things("/todos");
    const rent = { title: "Pay rent", recurrence: "FREQ=MONTHLY;BYMONTHDAY=1", estimated_minutes: 10 };
    expect(todo).toMatchObject({ ...rent, context: "desk", category: { name: "Home" } });
    expect(todo.reminder.local_time).toBe(`${todo.due_date}T09:00:00`);

    const undone = await account.submit(saved, undoPath, {});
    expect(undone.url).toStartWith(`${baseUrl}${from}?tick=told_undone`);
    expect(textOf(undone)).toContain("Taken back.");
    expect((await rest("GET", "/todos")).meta.total).toBe(0);
  });

  test("adds at once where it is sent, and says what was understood", async () => {
    const { account, things } = await newPerson();
    const today = await account.open("/account");
    const added = await account.submit(today, "/account/add", { line: "Call mum every month #Home" });
    expect(textOf(added)).toMatch(/Added: Call mum.*every month.*#Home/);
    expect(fieldsOf(added, "/account/add").line ?? "").toBe("");
    await account.submit(added, "/account/add", { line: "habit Run 3 times a week" });
    expect([await things("/todos"), await things("/habits")]).toMatchObject([
      [{ title: "Call mum", recurrence: "FREQ=MONTHLY" }],
      [{ name: "Run" }],
    ]);
  });

  test("makes habits as well, and one thing of the other", async () => {
    const { account, preview, things } = await newPerson();
    const shown = await preview("habit Run 3 times a week");
    expect(textOf(shown)).toContain("How often 3 times a week");
    await account.submit(shown, newHabit, {});
    await account.submit(await preview("bad habit: Smoking"), newHabit, {});
    await account.submit(await preview("Read every evening", { kind: "habit" }), newHabit, {});
    expect(await things("/habits")).toMatchObject([
      { name: "Run", frequency: "custom", schedule: { times_per_week: 3 } },
      { name: "Smoking", type: "bad", frequency: "daily" },
      { name: "Read", time_of_day: "evening" },
    ]);
    expect(textOf(await preview("habit Run", { kind: "todo" }))).toContain("Make it a habit instead");
  });

  test("asks what is uncertain, and takes the other choice at a press", async () => {
    const { account, preview, things } = await newPerson();
    const line = "Catch flight tomorrow at 6";
    const shown = await preview(line);
    expect(fieldsOf(shown, newTodo).due_time).toBe("18:00");
    expect(shown.text).toMatch(/Or is it.*<button class="plain" name="choice" value="06:00">06:00</s);
    const chosen = await preview(line, { choice: "06:00" });
    expect(textOf(chosen)).toContain("Or is it as first read");
    await account.submit(chosen, newTodo, {});
    expect(await things("/todos")).toMatchObject([{ title: "Catch flight", due_time: "06:00" }]);
    await account.submit(await preview("quit smoking", { choice: "habit to avoid" }), newHabit, {});
    expect(await things("/habits")).toMatchObject([{ name: "quit smoking", type: "bad" }]);
  });

  test("sent twice makes one thing; sent again with another title, another", async () => {
    const { account, rest, preview } = await newPerson();
    const total = async (path: string) => (await rest("GET", path)).meta.total;
    const shown = await preview("Buy milk #Shop");
    for (const answers of [{}, {}]) await account.submit(shown, newTodo, answers);
    expect(await total("/todos")).toBe(1);
    for (const title of ["Buy bread", "Buy bread"]) await account.submit(shown, newTodo, { title });
    expect([await total("/todos"), await total("/categories")]).toEqual([2, 1]);
  });

  test("without a title, or with fields that are wrong, says so and keeps what was typed", async () => {
    const { account, preview, things } = await newPerson();
    const from = "/account/settings";
    const typed = { description: "a\r\nb", recurrence: "now and then" };
    const refused = await account.submit(await preview("every day", { from }), newTodo, typed);
    expect(refused.status).toBe(422);
    expect(textOf(refused)).toContain("Kept does not understand this.");
    expect(fieldsOf(refused, newTodo)).toMatchObject({ ...typed, description: "a\nb", from });
    const next = await account.submit(refused, newTodo, { recurrence: "", due_date: "2026-02-30" });
    expect(textOf(next)).toContain("This must be text of 1 to 255 characters");
    expect([next.status, await things("/todos")]).toEqual([422, []]);
  });
});

describe("the page of a todo", () => {
  const wholeTodo = {
    title: "Pay rent",
    description: "To the <landlord>",
    due_date: "2099-12-01",
    recurrence: "FREQ=MONTHLY;BYDAY=MO,TU;BYSETPOS=1",
    recurrence_from: "completion",
    time_of_day: "morning",
    estimated_minutes: 10,
    context: "desk",
  };

  /** A person on the page of their todo. */
  async function todoPage(todo: object, remind_at?: string) {
    const person = await newPerson();
    const { id } = await person.rest("POST", "/todos", todo);
    if (remind_at) await person.rest("PUT", `/todos/${id}/reminder`, { remind_at });
    const path = `/account/todos/${id}`;
    const read = () => person.rest("GET", `/todos/${id}`);
    return { ...person, id, path, read, page: await person.account.open(path) };
  }

  test("shows all of it, sends only what was changed, and takes words", async () => {
    const remind_at = "2099-12-01T09:00";
    const { account, rest, id, path, page, read } = await todoPage(wholeTodo, remind_at);
    expect(fieldsOf(page, path)).toMatchObject({ ...wholeTodo, estimated_minutes: "10", remind_at });
    const before = await read();
    const same = await account.submit(page, path, {});
    expect(same.url).toBe(`${baseUrl}${path}?tick=told_unchanged`);
    expect(await read()).toEqual(before);

    const saved = await account.submit(page, path, { title: "Pay the rent", words: "every Friday at 18:00" });
    expect(textOf(saved)).toContain("Saved: Pay");
    const after = await read();
    const due_date = after.reminder.local_time.slice(0, 10);
    const weekly = { title: "Pay the rent", recurrence: "FREQ=WEEKLY;BYDAY=FR", due_date };
    expect(after).toMatchObject({ ...wholeTodo, ...weekly });
    await rest("PATCH", `/todos/${id}`, { recurrence_from: "due" });
    await account.submit(await account.open(path), path, { recurrence: "every! Friday" });
    expect((await read()).recurrence_from).toBe("completion");
    const done = await account.submit(saved, "/account/tick", { done: "yes" });
    expect(textOf(done)).toMatch(/Done: Pay the rent.*Done: Today\. The next one/);
    const unknown = await account.submit(saved, path, { words: "tomorrow or so" });
    expect(textOf(unknown)).toContain("Kept does not understand this: or so");
    expect(fieldsOf(unknown, path)).toMatchObject({ words: "tomorrow or so" });
  });

  test("another due date moves the reminder, as the form says and then shows, and words with a time set it", async () => {
    const due = { title: "Bins", due_date: "2099-12-01" };
    const { account, path, page } = await todoPage(due, "2099-11-30T20:00");
    expect(textOf(page)).toContain("It moves with the due date and time.");
    const moved = await account.submit(page, path, { due_date: "2099-12-08" });
    expect(fieldsOf(moved, path)).toMatchObject({ due_date: "2099-12-08", remind_at: "2099-12-07T20:00" });
    const said = await account.submit(moved, path, { words: "7 Dec 2099 at 20:00" });
    expect(fieldsOf(said, path)).toMatchObject({ due_date: "2099-12-07", remind_at: "2099-12-07T20:00" });
  });

  test("of two who change it, the second is told what would be lost", async () => {
    const { account, rest, id, path, page, read } = await todoPage({ title: "Pay rent" });
    await rest("PATCH", `/todos/${id}`, { title: "Rent", context: "desk" });
    const wanted = { title: "Pay the rent", due_date: "2099-12-01" };
    const clash = await account.submit(page, path, wanted);
    expect(clash.status).toBe(412);
    expect(textOf(clash)).toMatch(/This todo changed while you were editing.* Title: Rent/);
    expect(fieldsOf(clash, path)).toMatchObject({ ...wanted, context: "desk" });
    await account.submit(clash, path, {});
    expect(await read()).toMatchObject({ ...wanted, context: "desk" });
  });

  test("deleted by somebody else meanwhile, what was written can be saved anew", async () => {
    const { account, rest, id, path, page, things } = await todoPage({ title: "Pay rent" });
    await rest("DELETE", `/todos/${id}`);
    const told = await account.submit(page, path, { title: "Pay the rent" });
    expect(told.status).toBe(404);
    expect(textOf(told)).toContain("It was deleted meanwhile");
    await account.submit(told, newTodo, {});
    expect(await things("/todos")).toMatchObject([{ title: "Pay the rent" }]);
    expect((await account.open(path)).status).toBe(404);
  });

  test("whatever is sent, no answer is a fault, and nobody sees another's things", async () => {
    const { account, preview, path, page } = await todoPage({ title: "Mine" });
    const { account: other } = await newPerson();
    expect((await other.open(path)).status).toBe(404);
    expect((await other.open("/account/habits/:id")).status).toBe(404);
    const odd = ["\0", "\ud800", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "-1", "1e9", "new:", "new:\0", "[]", "{", "2026-02-30"];
    odd.push("a".repeat(5_000), "9".repeat(400));
    const names = ["title", "words", "recurrence", "due_date", "remind_at", "estimated_minutes"];
    names.push("category", "key", "from");
    const blank = await account.open(newTodo);
    for (const value of odd) {
      expect((await preview(value)).status).toBe(200);
      const all = Object.fromEntries([...names, "tag", "base"].map((name) => [name, value]));
      const sent = [whenNotBusy(() => account.submit(page, path, all))].concat(
        names.map((name) => whenNotBusy(() => account.submit(blank, newTodo, { title: "x", [name]: value }))),
      );
      const statuses = (await Promise.all(sent)).map(({ status }) => status);
      // A busy machine answers that it is overloaded.
      const faults = statuses.filter((status) => status >= 500 && status !== 503);
      expect([value, faults]).toEqual([value, []]);
    }
  });
});

test("days of the week beside another rhythm are asked about, not dropped", async () => {
  const { account, things } = await newPerson();
  const sent = { name: "Run", rhythm: "daily", weekdays: ["1", "3"] };
  const asked = await account.submit(await account.open(newHabit), newHabit, sent);
  expect(asked.status).toBe(422);
  expect(textOf(asked)).toContain("You ticked days of the week");
  expect(await things("/habits")).toEqual([]);
  await account.submit(asked, newHabit, { rhythm: "weekdays" });
  expect(await things("/habits")).toMatchObject([{ schedule: { weekdays: [1, 3] } }]);
});

test("a change of something else of a habit meanwhile is kept, without a question", async () => {
  const { account, rest } = await newPerson();
  const { id } = await rest("POST", "/habits", { name: "Read", type: "good", frequency: "daily" });
  const path = `/account/habits/${id}/edit`;
  const page = await account.open(path);
  await rest("POST", `/habits/${id}/complete`);
  await rest("PATCH", `/habits/${id}`, { description: "A chapter" });
  const wanted = { name: "Read more", rhythm: "weekdays", weekdays: ["1", "3"] };
  const saved = await account.submit(page, path, wanted);
  expect(textOf(saved)).toContain("Saved: Read");
  const both = { name: "Read more", description: "A chapter", schedule: { weekdays: [1, 3] } };
  expect(await rest("GET", `/habits/${id}`)).toMatchObject({ ...both, is_completed_today: true });
  // Only an attempt to undo it shows that a part stays.
  await rest("PATCH", `/habits/${id}`, { name: "Read aloud" });
  const later = await account.open(saved.url);
  expect(textOf(later)).toContain("Saved: Read");
  const undone = await account.submit(later, undoPath, {});
  expect(textOf(undone)).toContain("Something was changed since and stays as it is.");
});

test("deleting asks nothing, and is taken back from the notice", async () => {
  const { account, rest } = await newPerson();
  const { id: category_id } = await rest("POST", "/categories", { name: "Home" });
  const sweep = { name: "Sweep", type: "good", frequency: "daily", category_id };
  const habit = await rest("POST", "/habits", sweep);
  const todo = await rest("POST", "/todos", { title: "Pay rent" });
  for (const [path, where, thing] of [
    [`/account/todos/${todo.id}`, `/todos/${todo.id}`, { title: "Pay rent" }],
    [`/account/habits/${habit.id}/edit`, `/habits/${habit.id}`, { name: "Sweep" }],
    [`/account/categories/${category_id}`, `/categories/${category_id}`, { name: "Home" }],
  ] as const) {
    const gone = await account.submit(await account.open(path), `${path}/delete`, {});
    expect(textOf(gone)).toContain(`Deleted: ${Object.values(thing)[0]}`);
    expect(await rest("GET", where)).toMatchObject({ code: "not_found" });
    await account.submit(gone, undoPath, {});
    expect(await rest("GET", where)).toMatchObject(thing);
  }
});

test("categories are made and changed", async () => {
  const { account, things } = await newPerson();
  const list = "/account/categories";
  const made = await account.submit(await account.open(list), list, { name: "Home", color: "#1971c2" });
  expect(textOf(made)).toContain("Added: Home");
  const [{ id }] = await things("/categories");
  const path = `${list}/${id}`;
  const wrong = await account.submit(await account.open(path), path, { name: "", color: "#fff" });
  expect(wrong.status).toBe(422);
  await account.submit(wrong, path, { name: "House" });
  expect(await things("/categories")).toMatchObject([{ name: "House", color: "#ffffff" }]);
});
