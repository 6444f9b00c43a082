import { expect } from "bun:test";
import { SQL } from "bun";
import type { Page } from "playwright-core";
import { browserTest, signedInPerson, useSite } from "../../support/pages/support.ts";
import { eventually } from "../../support/reminder/stack.ts";

const site = await useSite();
const { stack } = site;
const { baseUrl, databaseUrl } = stack.config;
const today = new Date().toLocaleDateString("sv-SE", { timeZone: "Europe/Berlin" });

async function personWith(count: number) {
  const { page, newToken } = await signedInPerson(site);
  const token = await newToken("Script");
  const rest = async (method: string, path: string, body?: object) =>
    (await stack.rest(method, path, { token, ...(body && { body }) })).body;
  const titles = Array.from({ length: count }, (_, n) => `Todo ${n + 1}`);
  const todos = await Promise.all(titles.map((title) => rest("POST", "/todos", { title, due_date: today })));
  await page.goto(`${baseUrl}/account`);
  await page.evaluate("window.isTheSame = true");
  return { page, rest, todos };
}

const isTheSame = (page: Page) => page.evaluate("window.isTheSame");

/** Every form takes 400 ms. Of 20, one does not arrive, and the answer of another is lost. */
async function slowDown(page: Page): Promise<void> {
  let sent = 0;
  await page.route(/account\/(tick|add)$/, async (route) => {
    const place = sent++ % 20;
    await Bun.sleep(400);
    if (place === 7) return route.abort("connectionreset");
    if (place !== 13) return route.continue();
    await route.fetch({ maxRedirects: 0 });
    return route.abort("connectionreset");
  });
}

browserTest(
  "a hundred ticks and some additions over a bad line show at once, and each happens once, on the same page",
  async () => {
    const { page, rest } = await personWith(100);
    await slowDown(page);
    const slowest = await page.evaluate(`(() => {
      let slowest = 0;
      for (const button of document.querySelectorAll("section button.tick")) {
        const from = performance.now();
        button.click();
        if (!button.closest("li.done")) throw new Error("not shown");
        slowest = Math.max(slowest, performance.now() - from);
      }
      return slowest;
    })()`);
    expect(slowest).toBeLessThan(100);
    for (let n = 1; n <= 5; n++) {
      await page.getByLabel("Add a todo or a habit in words").fill(`Extra ${n}`);
      await page.getByLabel("Add a todo or a habit in words").press("Enter");
    }
    const totals = async () =>
      Promise.all(
        ["completed", "all"].map(async (status) => (await rest("GET", `/todos?status=${status}`)).meta.total),
      );
    await eventually(async () => (await totals()).join() === "100,105", 40_000);
    expect((await rest("GET", "/todos")).data.map(({ title }: { title: string }) => title).sort()).toEqual(
      [1, 2, 3, 4, 5].map((n) => `Extra ${n}`),
    );
    await using sql = new SQL(databaseUrl, { max: 1 });
    const changes = await sql`select tool, count(*)::int as count from action_log
      where door = 'page' group by tool order by tool`;
    expect([...changes]).toMatchObject([
      { tool: "todo.create", count: 5 },
      { tool: "todo.toggle", count: 100 },
    ]);
    expect(await isTheSame(page)).toBe(true);
  },
  60_000,
);

browserTest("without a connection a tick waits on the page, and is sent when it is back", async () => {
  const { page, rest, todos } = await personWith(2);
  await page.context().setOffline(true);
  await page.getByRole("button", { name: "Done: Todo 1" }).click();
  await page.getByText("A change waits here and will be sent when you are online.").waitFor();
  expect(await page.locator(`#todo-${todos[0].id}`).getAttribute("class")).toContain("done");
  await page.context().setOffline(false);
  await page.getByText("Done: Todo 1").waitFor();
  expect((await rest("GET", `/todos/${todos[0].id}`)).is_completed).toBe(true);
  expect(await isTheSame(page)).toBe(true);
});

browserTest("a tick that is refused is taken back on the page, which says why", async () => {
  const { page, rest, todos } = await personWith(2);
  await page.route(/account\/live/, (route) => route.abort());
  await page.reload();
  await rest("DELETE", `/todos/${todos[0].id}`);
  await page.getByRole("button", { name: "Done: Todo 1" }).click();
  await page.getByText("It is not there any more.").waitFor();
  expect(await page.locator("li.done").count()).toBe(0);
});

browserTest("several undos follow one another back, the last act first", async () => {
  const { page, rest } = await personWith(3);
  for (const n of [1, 2, 3]) {
    await page.getByRole("button", { name: `Done: Todo ${n}` }).click();
    await page.getByRole("status").getByText(`Done: Todo ${n}`).waitFor();
  }
  for (const left of [2, 1, 0]) {
    await page.getByRole("button", { name: "Undo", exact: true }).click();
    await eventually(async () => (await rest("GET", "/todos?status=completed")).meta.total === left);
    const said = left > 0 ? `Taken back. Before it: Done: Todo ${left}` : "Taken back.";
    await page.getByText(said, { exact: true }).waitFor();
  }
  expect(await page.getByRole("button", { name: /^Done: Todo/ }).count()).toBe(3);
});

browserTest("the scripts of a page have at most 25 KB together", async () => {
  const { page, rest } = await personWith(1);
  const habit = await rest("POST", "/habits", { name: "Read", type: "good", frequency: "daily" });
  for (const path of ["", "/todos", "/habits", `/habits/${habit.id}`, "/actions", "/settings", "/connect"]) {
    await page.goto(`${baseUrl}/account${path}`);
    const sources = await page
      .locator("script[src]")
      .evaluateAll((all) => all.map((one) => one.getAttribute("src")));
    const texts = await Promise.all(sources.map(async (src) => (await fetch(`${baseUrl}${src}`)).text()));
    expect([path, texts.join("").length <= 25_000]).toEqual([path, true]);
  }
});
