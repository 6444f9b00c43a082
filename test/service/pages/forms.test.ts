import { describe, expect, test } from "bun:test";
import { createBrowser, type Page } from "../../support/identity/browser.ts";
import { signedUp, tokenByForm } from "../../support/identity/support.ts";
import { axeFaults } from "../../support/pages/axe.ts";
import { browserTest, signedInPerson, useSite } from "../../support/pages/support.ts";

const site = await useSite();
const { stack, identity } = site;
const { baseUrl } = stack.config;

/** A new person in a browser without scripts, with a token for reading their things. */
async function newPerson() {
  const provider = await signedUp(identity.config);
  const account = createBrowser(baseUrl);
  await account.open((await provider.open((await account.open("/account")).url)).url);
  const token = await tokenByForm(provider, "Script");
  const rest = async (method: string, path: string, body?: object) =>
    (await stack.rest(method, path, { token, ...(body && { body }) })).body;
  const preview = (line: string, more: Record<string, string> = {}) =>
    account.open(`/account/add?${new URLSearchParams({ line, ...more })}`);
  return { account, rest, preview };
}

const textOf = (page: Page): string => page.text.replace(/<[^>]+>/g, " ").replace(/\s+/g, " ");
const fieldsOf = (page: Page, action: string) =>
  Object.fromEntries(page.forms.find((form) => form.action === action)?.fields ?? []);

describe("the line at the top", () => {
  test("is on every page, leads to a preview that makes nothing, and then to where the person was", async () => {
    const { account, rest, preview } = await newPerson();
    for (const path of ["/find", "/approvals", "/agents"]) {
      const { forms } = await account.open(`/account${path}`);
      expect(forms.map(({ action }) => action)).toContain("/account/add");
    }
    const settings = await account.open("/account/settings");
    expect(settings.forms.find(({ action }) => action === "/account/add")?.fields).toContainEqual([
      "from",
      "/account/settings",
    ]);
    const shown = await preview("Pay rent every month on the 1st at 9 #Home @desk 10min", {
      from: "/account/settings",
    });
    expect(textOf(shown)).toMatch(
      /Due .* Remind me .* 09:00 .*every month on the 1st .*10 min .*desk .*Home/,
    );
    expect(textOf(shown)).toContain("There is no category Home yet.");
    expect((await rest("GET", "/todos")).meta.total).toBe(0);

    const saved = await account.submit(shown, "/account/todos/new", {});
    expect(saved.url).toStartWith(`${baseUrl}/account/settings?did=`);
    expect(textOf(saved)).toContain("Added: Pay rent");
    const { data } = await rest("GET", "/todos");
    expect(data).toMatchObject([
      {
        title: "Pay rent",
        recurrence: "FREQ=MONTHLY;BYMONTHDAY=1",
        estimated_minutes: 10,
        context: "desk",
        category: { name: "Home" },
      },
    ]);
    expect(data[0].reminder.local_time).toBe(`${data[0].due_date}T09:00:00`);

    const undone = await account.submit(saved, "/account/actions/undo", {});
    expect(undone.url).toStartWith(`${baseUrl}/account/settings?undid=`);
    expect(textOf(undone)).toContain("Taken back.");
    expect((await rest("GET", "/todos")).meta.total).toBe(0);
  });

  test("makes habits as well, and one thing of the other", async () => {
    const { account, rest, preview } = await newPerson();
    const shown = await preview("habit Run 3 times a week");
    expect(textOf(shown)).toContain("How often 3 times a week");
    await account.submit(shown, "/account/habits/new", {});
    await account.submit(await preview("bad habit: Smoking"), "/account/habits/new", {});
    await account.submit(await preview("Read every evening", { kind: "habit" }), "/account/habits/new", {});
    expect((await rest("GET", "/habits")).data).toMatchObject([
      { name: "Run", frequency: "custom", schedule: { times_per_week: 3 } },
      { name: "Smoking", type: "bad", frequency: "daily" },
      { name: "Read", time_of_day: "evening" },
    ]);
    expect(textOf(await preview("habit Run", { kind: "todo" }))).toContain("Make it a habit instead");
  });

  test("asks what is uncertain, and takes the other choice at a press, without scripts", async () => {
    const { account, rest, preview } = await newPerson();
    const line = "Catch flight tomorrow at 6";
    const shown = await preview(line);
    expect(fieldsOf(shown, "/account/todos/new").due_time).toBe("18:00");
    expect(shown.text).toMatch(/Or is it.*<button class="plain" name="choice" value="06:00">06:00</s);
    const chosen = await preview(line, { choice: "06:00" });
    expect(textOf(chosen)).toContain("Or is it as first read");
    await account.submit(chosen, "/account/todos/new", {});
    expect((await rest("GET", "/todos")).data).toMatchObject([{ title: "Catch flight", due_time: "06:00" }]);
    await account.submit(
      await preview("quit smoking", { choice: "habit to avoid" }),
      "/account/habits/new",
      {},
    );
    expect((await rest("GET", "/habits")).data).toMatchObject([{ name: "quit smoking", type: "bad" }]);
  });

  test("sent twice makes one thing; sent again with another title, another", async () => {
    const { account, rest, preview } = await newPerson();
    const shown = await preview("Buy milk #Shop");
    await account.submit(shown, "/account/todos/new", {});
    await account.submit(shown, "/account/todos/new", {});
    expect((await rest("GET", "/todos")).meta.total).toBe(1);
    for (const title of ["Buy bread", "Buy bread"])
      await account.submit(shown, "/account/todos/new", { title });
    expect((await rest("GET", "/todos")).meta.total).toBe(2);
    expect((await rest("GET", "/categories")).meta.total).toBe(1);
  });

  test("without a title, or with fields that are wrong, says so and keeps what was typed", async () => {
    const { account, rest, preview } = await newPerson();
    const refused = await account.submit(
      await preview("every day", { from: "/account/settings" }),
      "/account/todos/new",
      {
        description: "a\r\nb",
        recurrence: "now and then",
      },
    );
    expect(refused.status).toBe(422);
    expect(textOf(refused)).toContain("Kept does not understand this.");
    expect(fieldsOf(refused, "/account/todos/new")).toMatchObject({
      recurrence: "now and then",
      description: "a\nb",
      from: "/account/settings",
    });
    const next = await account.submit(refused, "/account/todos/new", {
      recurrence: "",
      due_date: "2026-02-30",
    });
    expect(textOf(next)).toContain("This must be text of 1 to 255 characters");
    expect(next.status).toBe(422);
    expect((await rest("GET", "/todos")).meta.total).toBe(0);
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

  test("shows all of it, sends only what was changed, and takes words", async () => {
    const { account, rest } = await newPerson();
    const { id } = await rest("POST", "/todos", wholeTodo);
    await rest("PUT", `/todos/${id}/reminder`, { remind_at: "2099-12-01T09:00" });
    const path = `/account/todos/${id}`;
    const page = await account.open(path);
    expect(fieldsOf(page, path)).toMatchObject({
      ...wholeTodo,
      estimated_minutes: "10",
      remind_at: "2099-12-01T09:00",
    });
    const before = await rest("GET", `/todos/${id}`);
    const same = await account.submit(page, path, {});
    expect(same.url).toBe(`${baseUrl}${path}?tick=told_unchanged#`);
    expect(await rest("GET", `/todos/${id}`)).toEqual(before);

    const saved = await account.submit(page, path, { title: "Pay the rent", words: "every Friday at 18:00" });
    expect(textOf(saved)).toContain("Saved: Pay");
    const after = await rest("GET", `/todos/${id}`);
    expect(after).toMatchObject({
      ...wholeTodo,
      title: "Pay the rent",
      recurrence: "FREQ=WEEKLY;BYDAY=FR",
      due_date: after.reminder.local_time.slice(0, 10),
    });
    await rest("PATCH", `/todos/${id}`, { recurrence_from: "due" });
    await account.submit(await account.open(path), path, { recurrence: "every! Friday" });
    expect((await rest("GET", `/todos/${id}`)).recurrence_from).toBe("completion");
    const done = await account.submit(saved, "/account/tick", { done: "yes" });
    expect(textOf(done)).toMatch(/Done: Pay the rent .*Done: Today\. The next one/);
    const unknown = await account.submit(saved, path, { words: "tomorrow or so" });
    expect(textOf(unknown)).toContain("Kept does not understand this: or so");
    expect(fieldsOf(unknown, path)).toMatchObject({ words: "tomorrow or so" });
  });

  test("another due date moves the reminder, as the form says and then shows, and words with a time set it", async () => {
    const { account, rest } = await newPerson();
    const { id } = await rest("POST", "/todos", { title: "Bins", due_date: "2099-12-01" });
    await rest("PUT", `/todos/${id}/reminder`, { remind_at: "2099-11-30T20:00" });
    const path = `/account/todos/${id}`;
    const page = await account.open(path);
    expect(textOf(page)).toContain("It moves with the due date.");
    const moved = await account.submit(page, path, { due_date: "2099-12-08" });
    expect(fieldsOf(moved, path)).toMatchObject({ due_date: "2099-12-08", remind_at: "2099-12-07T20:00" });
    const said = await account.submit(moved, path, { words: "7 Dec 2099 at 20:00" });
    expect(fieldsOf(said, path)).toMatchObject({ due_date: "2099-12-07", remind_at: "2099-12-07T20:00" });
  });

  test("of two who change it, the second is told what would be lost", async () => {
    const { account, rest } = await newPerson();
    const { id } = await rest("POST", "/todos", { title: "Pay rent" });
    const path = `/account/todos/${id}`;
    const page = await account.open(path);
    await rest("PATCH", `/todos/${id}`, { title: "Rent", context: "desk" });
    const clash = await account.submit(page, path, { title: "Pay the rent", due_date: "2099-12-01" });
    expect(clash.status).toBe(412);
    expect(textOf(clash)).toMatch(/Somebody changed this todo meanwhile.* Title: Rent/);
    expect(fieldsOf(clash, path)).toMatchObject({
      title: "Pay the rent",
      due_date: "2099-12-01",
      context: "desk",
    });
    await account.submit(clash, path, {});
    expect(await rest("GET", `/todos/${id}`)).toMatchObject({
      title: "Pay the rent",
      due_date: "2099-12-01",
      context: "desk",
    });
  });

  test("leads to what was done to it, also with others, and to nothing of its namesakes", async () => {
    const { account, rest } = await newPerson();
    const habit = await rest("POST", "/habits", { name: "Read", type: "good", frequency: "daily" });
    const ids: number[] = [];
    for (const chapter of [1, 2, 3])
      ids.push((await rest("POST", "/todos", { title: `Read chapter ${chapter}` })).id);
    await rest("POST", `/habits/${habit.id}/complete`);
    const ofHabit = await account.open(`/account/habits/${habit.id}`);
    expect(ofHabit.text).toContain(`href="/account/actions?thing=habit/${habit.id}"`);
    const done = textOf(await account.open(`/account/actions?thing=habit/${habit.id}`));
    expect(done).toContain("Created the habit Read");
    expect(done).toContain("Completed the habit Read");
    expect(done).not.toContain("chapter");
    const ofTodo = await account.open(`/account/todos/${ids[1]}`);
    expect(ofTodo.text).toContain(`href="/account/actions?thing=todo/${ids[1]}"`);
    const ofOne = textOf(await account.open(`/account/actions?thing=todo/${ids[1]}`));
    expect([ofOne.includes("chapter 2"), ofOne.includes("chapter 3")]).toEqual([true, false]);
    expect((await account.open("/account/actions?thing=todo/x")).status).toBe(422);
  });

  test("days of the week beside another rhythm are asked about, not dropped", async () => {
    const { account, rest } = await newPerson();
    const blank = await account.open("/account/habits/new");
    const sent = { name: "Run", rhythm: "daily", weekdays: ["1", "3"] };
    const asked = await account.submit(blank, "/account/habits/new", sent);
    expect(asked.status).toBe(422);
    expect(textOf(asked)).toContain("You ticked days of the week");
    expect((await rest("GET", "/habits")).data).toEqual([]);
    await account.submit(asked, "/account/habits/new", { rhythm: "weekdays" });
    expect((await rest("GET", "/habits")).data).toMatchObject([{ schedule: { weekdays: [1, 3] } }]);
  });

  test("a change of something else meanwhile is kept, without a question", async () => {
    const { account, rest } = await newPerson();
    const { id } = await rest("POST", "/habits", { name: "Read", type: "good", frequency: "daily" });
    const path = `/account/habits/${id}/edit`;
    const page = await account.open(path);
    await rest("POST", `/habits/${id}/complete`);
    await rest("PATCH", `/habits/${id}`, { description: "A chapter" });
    const saved = await account.submit(page, path, {
      name: "Read more",
      rhythm: "weekdays",
      weekdays: ["1", "3"],
    });
    expect(textOf(saved)).toContain("Saved: Read");
    expect(await rest("GET", `/habits/${id}`)).toMatchObject({
      name: "Read more",
      description: "A chapter",
      schedule: { weekdays: [1, 3] },
      is_completed_today: true,
    });
    // Only an attempt to undo it shows that a part stays.
    await rest("PATCH", `/habits/${id}`, { name: "Read aloud" });
    const later = await account.open(saved.url);
    expect(textOf(later)).toContain("Saved: Read");
    const undone = await account.submit(later, "/account/actions/undo", {});
    expect(textOf(undone)).toContain("Taken back, but not all of it. The habit Read keeps its present name");
  });

  test("deleted by somebody else meanwhile, what was written can be saved anew", async () => {
    const { account, rest } = await newPerson();
    const { id } = await rest("POST", "/todos", { title: "Pay rent" });
    const page = await account.open(`/account/todos/${id}`);
    await rest("DELETE", `/todos/${id}`);
    const told = await account.submit(page, `/account/todos/${id}`, { title: "Pay the rent" });
    expect(told.status).toBe(404);
    expect(textOf(told)).toContain("It was deleted meanwhile");
    await account.submit(told, "/account/todos/new", {});
    expect((await rest("GET", "/todos")).data).toMatchObject([{ title: "Pay the rent" }]);
    expect((await account.open(`/account/todos/${id}`)).status).toBe(404);
  });
});

test("deleting asks nothing, and is taken back from the notice", async () => {
  const { account, rest } = await newPerson();
  const category = await rest("POST", "/categories", { name: "Home" });
  const habit = await rest("POST", "/habits", {
    name: "Sweep",
    type: "good",
    frequency: "daily",
    category_id: category.id,
  });
  for (const [path, where, thing] of [
    [`/account/habits/${habit.id}/edit`, `/habits/${habit.id}`, "Sweep"],
    [`/account/categories/${category.id}`, `/categories/${category.id}`, "Home"],
  ] as const) {
    const before = await rest("GET", where);
    const gone = await account.submit(await account.open(path), `${path}/delete`, {});
    expect(textOf(gone)).toContain(`Deleted: ${thing}`);
    expect(await rest("GET", where)).toMatchObject({ code: "not_found" });
    await account.submit(gone, "/account/actions/undo", {});
    expect(await rest("GET", where)).toMatchObject({ id: before.id, name: thing });
  }
});

test("categories are made and changed", async () => {
  const { account, rest } = await newPerson();
  const made = await account.submit(await account.open("/account/categories"), "/account/categories", {
    name: "Home",
    color: "#1971c2",
  });
  expect(textOf(made)).toContain("Added: Home");
  const [{ id }] = (await rest("GET", "/categories")).data;
  const path = `/account/categories/${id}`;
  const wrong = await account.submit(await account.open(path), path, { name: "", color: "#fff" });
  expect(wrong.status).toBe(422);
  await account.submit(wrong, path, { name: "House" });
  expect(await rest("GET", `/categories/${id}`)).toMatchObject({ name: "House", color: "#ffffff" });
});

test("whatever is sent, no answer is a fault, and nobody sees another's things", async () => {
  const [one, other] = [await newPerson(), await newPerson()];
  const { id } = await one.rest("POST", "/todos", { title: "Mine" });
  expect((await other.account.open(`/account/todos/${id}`)).status).toBe(404);
  expect((await other.account.open("/account/habits/:id")).status).toBe(404);
  const odd = [
    "\0",
    "\ud800",
    "🏴󠁧󠁢󠁥󠁮󠁧󠁿",
    "-1",
    "1e9",
    "new:",
    "new:\0",
    "[]",
    "{",
    "a".repeat(5_000),
    "9".repeat(400),
    "2026-02-30",
  ];
  const names = [
    "title",
    "words",
    "recurrence",
    "due_date",
    "remind_at",
    "estimated_minutes",
    "category",
    "key",
    "from",
  ];
  const page = await one.account.open(`/account/todos/${id}`);
  const blank = await one.account.open("/account/todos/new");
  for (const value of odd) {
    expect((await one.preview(value)).status).toBe(200);
    const all = Object.fromEntries(names.map((name) => [name, value]));
    const base = { tag: value, base: value };
    expect((await one.account.submit(page, `/account/todos/${id}`, { ...all, ...base })).status).toBeLessThan(
      500,
    );
    for (const name of names)
      expect(
        (await one.account.submit(blank, "/account/todos/new", { title: "x", [name]: value })).status,
      ).toBeLessThan(500);
  }
}, 30_000);

async function check(page: import("playwright-core").Page): Promise<void> {
  expect(await axeFaults(page)).toEqual([]);
  expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(320);
}

for (const javaScriptEnabled of [true, false])
  browserTest(
    `a person adds, edits, deletes and brings back, ${javaScriptEnabled ? "with" : "without"} scripts`,
    async () => {
      const viewport = { width: 320, height: 700 };
      // axe-core needs scripts, so it checks the pages of a person with scripts.
      const { page, newToken } = await signedInPerson(site, { viewport, javaScriptEnabled });
      await page.goto(`${baseUrl}/account`);
      const add = async (line: string, name: string) => {
        await page.getByLabel("Add a todo or a habit in words").fill(line);
        if (javaScriptEnabled) {
          await page.getByRole("list", { name: "What was understood" }).waitFor();
          await check(page);
        }
        await page.getByLabel("Add a todo or a habit in words").press("Enter");
        await page.getByText(`Added: ${name}`).waitFor();
        expect(await page.getByLabel("Add a todo or a habit in words").inputValue()).toBe("");
        if (javaScriptEnabled) await check(page);
      };
      await add("Pay rent every month on the 1st at 9 #Home @desk 10min", "Pay rent");
      expect(await page.locator("#notice").innerText()).toMatch(
        /every month .*09:00 .*10 min .*desk .*#Home/,
      );
      await add("habit Run 3 times a week", "Run");
      expect(await page.getByRole("link", { name: "Run", exact: true }).count()).toBe(1);

      const token = await newToken("Script");
      const [{ id }] = (await stack.rest("GET", "/todos", { token })).body.data;
      await page.goto(`${baseUrl}/account/todos/${id}`);
      await page.getByLabel("Title").fill("Pay the rent");
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByText("Saved:").waitFor();
      await page.getByRole("button", { name: "Delete this todo" }).click();
      await page.getByText("Deleted: Pay the rent").waitFor();
      await page.getByRole("button", { name: /Undo.*: Deleted Pay the rent/ }).click();
      await page.getByText("Taken back.").waitFor();
      expect((await stack.rest("GET", `/todos/${id}`, { token })).body.title).toBe("Pay the rent");
      if (!javaScriptEnabled) return;
      await page.goto(`${baseUrl}/account/categories`);
      await check(page);
    },
  );
