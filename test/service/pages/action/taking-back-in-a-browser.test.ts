import { expect } from "bun:test";
import type { Page } from "playwright-core";
import { addDays } from "../../../../shared/domain/day/day.ts";
import { browserTest, callTool, signedInPerson, useSite } from "../../../support/pages/support.ts";

const site = await useSite();
const { stack, identity } = site;
const { baseUrl } = stack.config;
const today = new Date().toISOString().slice(0, 10);

async function newPerson() {
  const { page, newToken } = await signedInPerson(site);
  const own = await newToken("My script");
  const agent = await newToken("Claude Desktop");
  const rest = async (method: string, path: string, body?: object) =>
    (await stack.rest(method, path, { token: own, ...(body && { body }) })).body;
  const call = (name: string, args: object) => callTool(site, agent, name, args);
  return { page, agent, rest, call };
}

type Rest = Awaited<ReturnType<typeof newPerson>>["rest"];

/** Everything that a client can see, except times of writing. */
async function allThings(rest: Rest) {
  const found: object[] = [];
  for (const path of ["/todos?status=all", "/habits?"]) {
    for (let page = 1, last = 1; page <= last; page++) {
      const { data, meta } = await rest("GET", `${path}&page=${page}`);
      found.push(...data.map(({ updated_at: _, ...thing }: { updated_at: string }) => thing));
      last = meta.last_page;
    }
  }
  return found;
}

/** 60 todos, some with a recurrence or a reminder, and five habits with a week of completions. */
async function fill(rest: Rest) {
  const todos: number[] = [];
  for (let n = 0; n < 60; n++) {
    const recurs = n < 3 && { due_date: today, recurrence: "FREQ=WEEKLY", description: "Every week" };
    const { id } = await rest("POST", "/todos", { title: `Todo ${n}`, context: "desk", ...recurs });
    if (n >= 3 && n < 8)
      await rest("PUT", `/todos/${id}/reminder`, { remind_at: `${addDays(today, 2)}T09:00:00` });
    todos.push(id);
  }
  const habits: number[] = [];
  for (let n = 0; n < 5; n++) {
    const { id } = await rest("POST", "/habits", { name: `Habit ${n}`, type: "good", frequency: "daily" });
    for (let ago = 6; ago > 0; ago--)
      await rest("POST", `/habits/${id}/complete`, { date: addDays(today, -ago) });
    habits.push(id);
  }
  return { todos, habits };
}

const listText = async (page: Page) => (await page.locator("main").innerText()).replace(/\s+/g, " ");

browserTest(
  "an agent deletes 40 todos, changes 10 and completes 5 habits: one click takes it all back",
  async () => {
    const { page, agent, rest, call } = await newPerson();
    const { todos, habits } = await fill(rest);
    const before = await allThings(rest);
    for (const todo_id of todos.slice(0, 40)) await call("delete-todo", { todo_id });
    for (const todo_id of todos.slice(40, 50))
      await call("update-todo", { todo_id, title: "x", due_date: addDays(today, 9), context: "moved" });
    for (const habit_id of habits) await call("complete-habit", { habit_id });
    expect((await rest("GET", "/todos")).meta.total).toBe(20);

    const { jti } = await identity.introspect(agent);
    await page.goto(`${baseUrl}/account/actions?token_id=${jti}`);
    await page.getByRole("link", { name: "Take back all that it changed" }).click();
    await page.getByText("55 changes. All of these can be taken back.").waitFor();
    await page.getByRole("button", { name: "Take it all back" }).click();
    await page.getByText("55 of 55 changes of").waitFor();
    expect(await allThings(rest)).toEqual(before);
  },
  60_000,
);

browserTest("what was deleted last week is found by a word of its title, and comes back", async () => {
  const { page, agent, rest, call } = await newPerson();
  const { id } = await rest("POST", "/todos", { title: "Renew Zoë’s passport", due_date: "2027-01-01" });
  for (const title of ["Buy milk", "Renew the lease"]) await rest("POST", "/todos", { title });
  await call("delete-todo", { todo_id: id });
  const { jti } = await identity.introspect(agent);
  const { sub } = await identity.introspect(agent);
  await identity.sql(
    `update action_log set called_at = called_at - interval '7 days' where user_id = '${sub}' and token_id = '${jti}'`,
  );
  await page.goto(`${baseUrl}/account/actions`);
  await page.getByLabel("Search").fill("zoe");
  await page.getByRole("button", { name: "Filter" }).click();
  const deleted = page.locator("li.card", { hasText: "Deleted the todo" });
  expect(await deleted.count()).toBe(1);
  expect(await listText(page)).not.toContain("milk");
  await deleted.getByRole("button", { name: "Bring it back" }).focus();
  await page.keyboard.press("Enter");
  await page.getByText("Taken back.").waitFor();
  // The page is as before: with the search, and the row in sight.
  expect(await page.getByLabel("Search").inputValue()).toBe("zoe");
  expect(page.url()).toContain("#action-");
  expect(await rest("GET", `/todos/${id}`)).toMatchObject({
    title: "Renew Zoë’s passport",
    due_date: "2027-01-01",
  });
  await page.goto(`${baseUrl}/account`);
  await page.getByText("Renew Zoë’s passport").waitFor();
});
