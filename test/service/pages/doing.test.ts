import { expect } from "bun:test";
import { addDays } from "../../../shared/domain/day/day.ts";
import { axeFaults } from "../../support/pages/axe.ts";
import { browserTest, signedInPerson, useSite } from "../../support/pages/support.ts";
import { eventually } from "../../support/reminder/stack.ts";

const site = await useSite();
const { stack } = site;
const { baseUrl } = stack.config;
/** In the zone of everybody in these tests. */
const today = new Date().toLocaleDateString("sv-SE", { timeZone: "Europe/Berlin" });

type Size = Readonly<{ width: number; height: number }>;
const desk = { width: 1_280, height: 900 };
const phone = { width: 390, height: 844 };

async function newPerson(viewport: Size = desk, options = {}) {
  const { page, newToken } = await signedInPerson(site, { viewport, ...options });
  const token = await newToken("Script");
  const rest = async (method: string, path: string, body?: object) =>
    (await stack.rest(method, path, { token, ...(body && { body }) })).body;
  return { page, rest };
}

/** A full day: 12 habits, and 40 todos of which 5 are overdue and 12 due today. */
async function fullDay(rest: Awaited<ReturnType<typeof newPerson>>["rest"]) {
  const habits = Array.from({ length: 12 }, (_, n) =>
    rest("POST", "/habits", { name: `Habit ${n + 1}`, type: "good", frequency: "daily", grace_days: 0 }),
  );
  const days = [-3, 0, 0, 1, 4, 9, null, null];
  const todos = Array.from({ length: 40 }, (_, n) => {
    const ago = days[n % days.length];
    return rest("POST", "/todos", {
      title: `Todo ${n + 1}`,
      ...(ago != null && { due_date: addDays(today, ago) }),
    });
  });
  await Promise.all([...habits, ...todos]);
}

browserTest(
  "on a full day six tasks can be ticked on the first screen, and the first todo is near",
  async () => {
    const { page, rest } = await newPerson();
    await fullDay(rest);
    for (const viewport of [desk, phone]) {
      await page.setViewportSize(viewport);
      await page.goto(`${baseUrl}/account`);
      const boxes = await Promise.all(
        (await page.locator("button.tick:visible").all()).map((one) => one.boundingBox()),
      );
      const onScreen = boxes.filter((box) => box && box.y >= 0 && box.y + box.height <= viewport.height);
      expect(onScreen.length).toBeGreaterThanOrEqual(6);
      const labelOf = () => page.evaluate("document.activeElement.getAttribute('aria-label') ?? ''");
      let tabs = 0;
      for (; !String(await labelOf()).startsWith("Done: Todo") && tabs < 20; tabs++) {
        await page.keyboard.press("Tab");
        if ((await page.locator(":focus").textContent()) === "Skip to content")
          await page.keyboard.press("Enter");
      }
      expect(tabs).toBeLessThanOrEqual(8);
    }
  },
);

browserTest("what is overdue moves to today by one button, and back by one undo", async () => {
  for (const javaScriptEnabled of [true, false]) {
    const { page, rest } = await newPerson(desk, { javaScriptEnabled });
    await fullDay(rest);
    const overdue = async () => (await rest("GET", "/todos?due=overdue")).meta.total;
    expect(await overdue()).toBe(5);
    await page.goto(`${baseUrl}/account`);
    expect(await page.getByRole("button", { name: "Done: Todo 1", exact: true }).isVisible()).toBe(false);
    await page.getByRole("button", { name: "Move to today" }).click();
    await page.getByText("Moved to today: 5 at once").waitFor();
    expect(await overdue()).toBe(0);
    await page.getByRole("button", { name: "Done: Todo 1", exact: true }).waitFor();
    await page.getByRole("button", { name: "Undo", exact: true }).click();
    await page.getByText("Taken back.").waitFor();
    expect(await overdue()).toBe(5);
  }
});

browserTest("as many todos as a page shows are changed at once, and brought back by one undo", async () => {
  const { page, rest } = await newPerson();
  const late = addDays(today, -1);
  await Promise.all(
    Array.from({ length: 120 }, (_, n) => rest("POST", "/todos", { title: `Late ${n}`, due_date: late })),
  );
  const dueOn = async (date: string) =>
    (await rest("GET", `/todos?due_from=${date}&due_to=${date}`)).meta.total;
  await page.goto(`${baseUrl}/account`);
  await page.getByRole("button", { name: "Move to today 100" }).click();
  await page.getByText("Moved to today: 100 at once").waitFor();
  expect([await dueOn(today), await dueOn(late)]).toEqual([100, 20]);
  await page.getByRole("button", { name: "Undo", exact: true }).click();
  await page.getByText("Taken back.").waitFor();
  expect([await dueOn(today), await dueOn(late)]).toEqual([0, 120]);
  await page.goto(`${baseUrl}/account/todos`);
  await page.locator(".pick").first().click();
  await page
    .locator(".pick")
    .last()
    .click({ modifiers: ["Shift"] });
  await page.getByText("Edit", { exact: true }).click();
  await page.getByLabel("Important").selectOption("Yes");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Changed: 100 at once").waitFor();
  expect(await page.getByRole("img", { name: "Important" }).count()).toBe(100);
  await page.getByRole("button", { name: "Undo", exact: true }).click();
  await page.getByText("Taken back.").waitFor();
  await eventually(async () => (await page.getByRole("img", { name: "Important" }).count()) === 0);
});

browserTest("the palette leads to pages, todos and habits, and does what keys do", async () => {
  const { page, rest } = await newPerson();
  const { id } = await rest("POST", "/todos", { title: "Renew the passport" });
  const habit = await rest("POST", "/habits", { name: "Photo a day", type: "good", frequency: "daily" });
  await page.goto(`${baseUrl}/account`);
  const open = async (words: string) => {
    await page.keyboard.press("Control+k");
    await page.keyboard.type(words);
  };
  await open("");
  expect(await axeFaults(page)).toEqual([]);
  await page.keyboard.type("passport");
  await page.getByRole("dialog").getByText("Renew the passport").waitFor();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.waitForURL(`${baseUrl}/account/todos/${id}`);
  await page.goto(`${baseUrl}/account/habits`);
  await open("photo");
  await page.getByRole("dialog").getByText("Photo a day").waitFor();
  await page.keyboard.press("Enter");
  await page.waitForURL(`${baseUrl}/account/habits/${habit.id}`);
  await open("act");
  await page.keyboard.press("Enter");
  await page.waitForURL(`${baseUrl}/account/actions`);
  await open("add some");
  await page.keyboard.press("Enter");
  expect(await page.locator(":focus").getAttribute("id")).toBe("quick-line");
  await page.goto(`${baseUrl}/account/find?q=passport`);
  await page.getByRole("link", { name: "Renew the passport todo" }).waitFor();
  expect(await axeFaults(page)).toEqual([]);
});

browserTest("a habit is skipped, paused and archived in its row, each with one undo", async () => {
  for (const javaScriptEnabled of [true, false]) {
    const { page, rest } = await newPerson(desk, { javaScriptEnabled });
    const { id } = await rest("POST", "/habits", { name: "Run", type: "good", frequency: "daily" });
    await page.goto(`${baseUrl}/account/habits`);
    const press = async (name: string, said: string) => {
      await page.locator("summary[aria-label='More: Run']").click();
      await page.getByRole("button", { name }).click();
      await page.getByText(said).waitFor();
    };
    const undo = async () => {
      await page.getByRole("button", { name: "Undo", exact: true }).click();
      await page.getByText("Taken back.").waitFor();
    };
    const habit = () => rest("GET", `/habits/${id}`);
    const none = { paused_from: null, paused_through: null, skipped_dates: [] };
    await press("Skip today", "Skipped: Run");
    expect(await habit()).toMatchObject({ ...none, skipped_dates: [today] });
    await undo();
    await press("Pause for a week", "Paused for a week: Run");
    expect(await habit()).toMatchObject({ paused_from: today, paused_through: addDays(today, 6) });
    await press("Bring it back", "Brought back: Run");
    expect(await habit()).toMatchObject(none);
    await press("Archive", "Archived: Run");
    expect(await habit()).toMatchObject({ paused_from: today, paused_through: null });
    await page.getByText("Archived 1").waitFor();
    await undo();
    expect(await habit()).toMatchObject(none);
    await rest("PATCH", `/habits/${id}`, { paused_from: addDays(today, -2) });
    await page.goto(`${baseUrl}/account/habits`);
    await page.getByText("Archived 1").click();
    await press("Bring it back", "Brought back: Run");
    expect(await habit()).toMatchObject({
      paused_from: addDays(today, -2),
      paused_through: addDays(today, -1),
    });
  }
});

browserTest(
  "the days before today are ticked in the list, and a streak that ends tonight comes first",
  async () => {
    const { page, rest } = await newPerson();
    const habit = { type: "good", frequency: "daily", grace_days: 0 };
    await rest("POST", "/habits", { ...habit, name: "Read" });
    const { id } = await rest("POST", "/habits", { ...habit, name: "Run" });
    const yesterday = addDays(today, -1);
    await page.goto(`${baseUrl}/account`);
    await page.getByRole("button", { name: "Yesterday, not done: Run" }).click();
    await page.getByRole("button", { name: "Yesterday, done: Run" }).waitFor();
    await page.getByText("Done: Run").waitFor();
    expect((await rest("GET", `/habits/${id}/completions`)).data).toMatchObject([{ date: yesterday }]);
    await page.goto(`${baseUrl}/account`);
    const first = page.locator("li[id^=habit-]").first();
    expect(await first.getAttribute("id")).toBe(`habit-${id}`);
    expect(await first.textContent()).toContain("ends today unless done");
  },
);

browserTest("a newcomer's first screen offers a first habit and a first todo, and no zeros", async () => {
  const { page, rest } = await newPerson(phone);
  await page.goto(`${baseUrl}/account`);
  expect(await page.locator("#day").innerText()).not.toMatch(/(^|\s)0(\s|$)/);
  await page.getByRole("link", { name: "Renew the passport in 3 weeks" }).waitFor();
  await page.getByRole("link", { name: "habit Read every evening" }).click();
  await page.getByRole("button", { name: "Add it like this" }).click();
  await page.getByRole("button", { name: "Done today: Read" }).waitFor();
  expect((await rest("GET", "/habits")).data).toMatchObject([{ name: "Read", time_of_day: "evening" }]);
});

/** Three todos of today on the page Today or Todos. */
async function threeTodos(path: string, options = {}) {
  const { page, rest } = await newPerson(desk, options);
  const { id: home } = await rest("POST", "/categories", { name: "Home" });
  const todos = await Promise.all(
    [1, 2, 3].map((n) => rest("POST", "/todos", { title: `Todo ${n}`, due_date: today })),
  );
  await page.goto(`${baseUrl}/account${path}`);
  const stored = async () => Promise.all(todos.map(({ id }) => rest("GET", `/todos/${id}`)));
  const choose = (n: number, how = {}) => page.getByLabel(`Choose: Todo ${n}`).click(how);
  return { page, rest, home, stored, choose };
}

browserTest(
  "several todos are put off, edited and done at once, each by one action with one undo",
  async () => {
    for (const [path, javaScriptEnabled] of [
      ["", true],
      ["/todos", false],
    ] as const) {
      const { page, home, stored, choose, rest } = await threeTodos(path, { javaScriptEnabled });
      const press = async (name: string, said: string) => {
        await page.getByRole("button", { name, exact: true }).click();
        await page.getByText(said).waitFor();
      };
      expect(await page.getByRole("button", { name: "Tomorrow" }).isVisible()).toBe(false);
      await choose(1);
      await choose(3);
      await press("Tomorrow", "Moved to tomorrow: 2 at once");
      const tomorrow = addDays(today, 1);
      expect((await stored()).map(({ due_date }) => due_date)).toEqual([tomorrow, today, tomorrow]);
      await press("Undo", "Taken back.");
      expect((await stored()).map(({ due_date }) => due_date)).toEqual([today, today, today]);
      await choose(1);
      await choose(2);
      await page.getByText("Edit", { exact: true }).click();
      await page.getByLabel("Due date").last().fill(addDays(today, 5));
      await page.getByLabel("Category").last().selectOption("Home");
      await press("Save", "Changed: 2 at once");
      const changed = { due_date: addDays(today, 5), category: { id: home } };
      expect(await stored()).toMatchObject([changed, changed, { due_date: today, category: null }]);
      await press("Undo", "Taken back.");
      for (const n of [1, 2, 3]) await choose(n);
      await press("Done", "Done: 3 at once");
      expect((await rest("GET", "/todos")).meta.total).toBe(0);
      await press("Undo", "Taken back.");
      expect((await rest("GET", "/todos")).meta.total).toBe(3);
    }
  },
);

browserTest("a title is changed in its place, and keys choose, edit, undo and search", async () => {
  const { page, stored, choose } = await threeTodos("");
  await page.evaluate("window.isTheSame = true");
  const titles = async () => (await stored()).map(({ title }) => title);
  for (const key of ["j", "j", "e"]) await page.keyboard.press(key);
  expect(await page.locator(":focus").inputValue()).toBe("Todo 2");
  await page.keyboard.type("Call Mum, x and u");
  await page.keyboard.press("Enter");
  await page.getByText("Changed: Call Mum, x and u").waitFor();
  expect(await titles()).toEqual(["Todo 1", "Call Mum, x and u", "Todo 3"]);
  await page.keyboard.press("u");
  await page.getByText("Taken back.").waitFor();
  expect(await titles()).toEqual(["Todo 1", "Todo 2", "Todo 3"]);
  await choose(1);
  await choose(3, { modifiers: ["Shift"] });
  expect(await page.locator(".pick:checked").count()).toBe(3);
  await page.getByText("Edit", { exact: true }).click();
  await eventually(async () => !(await page.getByLabel("Title").isEnabled()));
  await page.keyboard.press("Escape");
  await page.locator("h1").click();
  await page.keyboard.press("?");
  await page.getByText("Use these keys").click();
  await page.getByRole("button", { name: "Close" }).click();
  await page.keyboard.press("/");
  expect(await page.evaluate("window.isTheSame")).toBe(true);
  await page.getByRole("button", { name: "Keys" }).click();
  await page.getByText("Use these keys").click();
  await page.getByRole("button", { name: "Close" }).click();
  await page.keyboard.press("q");
  expect(await page.locator(":focus").getAttribute("id")).toBe("quick-line");
  await page.locator("h1").click();
  await page.keyboard.press("/");
  await page.waitForURL(/todos#q$/);
  expect(await page.locator(":focus").getAttribute("type")).toBe("search");
});
