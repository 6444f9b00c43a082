import { expect } from "bun:test";
import { callsOf } from "../support/pages/plain.ts";
import { addInWords, browserTest, press, signedInPerson, useSite } from "../support/pages/support.ts";

const site = await useSite();
const { stack } = site;
const { baseUrl } = stack.config;

browserTest("an agent's first call, changes and number of runs appear on pages by themselves", async () => {
  const { page, rest, call, newToken } = await signedInPerson(site);
  const fresh = callsOf(stack, await newToken("Cursor"));
  const link = page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: /^Activity/ });
  const asked: string[] = [];
  page.on("request", (request) => asked.push(request.url()));
  await rest("POST", "/habits", { name: "Read", type: "good", frequency: "daily" });
  await page.goto(`${baseUrl}/account/connect`);
  await call("get-pending-todos");
  await page.getByText("Waiting for the first call").waitFor();
  await fresh.call("get-pending-todos");
  await page.getByText("Cursor made its first call").waitFor();
  expect(await page.locator("#light").getAttribute("class")).toContain("note");

  for (const path of ["actions", "todos"]) await page.goto(`${baseUrl}/account/${path}`);
  await page.evaluate("window.isTheSame = true");
  await call("create-todo", { title: "From the agent" });
  await page.getByRole("button", { name: "Done: From the agent" }).waitFor();
  await page.getByRole("link", { name: "Activity 1 new" }).waitFor();
  await fresh.call("create-todo", { title: "From another" });
  await page.getByRole("link", { name: "Activity 2 new" }).waitFor();
  await addInWords(page, "Mine", "Added: Mine");
  expect([await page.evaluate("window.isTheSame"), (await link.textContent())?.trim()]).toEqual([
    true,
    "Activity 2 new",
  ]);

  await page.goto(`${baseUrl}/account/actions?door=mcp`);
  await call("create-todo", { title: "One more" });
  await page.getByText("Created the todo One more").waitFor();
  await page.goto(`${baseUrl}/account`);
  await rest("POST", "/habits", { name: "Stretch", type: "good", frequency: "daily" });
  await page.getByRole("button", { name: "Done today: Stretch" }).waitFor();
});

browserTest("two hundred calls are one card, any part of which is taken back by three clicks", async () => {
  const { page, rest, call } = await signedInPerson(site, { viewport: { width: 1280, height: 900 } });
  const made = await Promise.all(
    Array.from({ length: 80 }, (_, n) => rest("POST", "/todos", { title: `Task ${n}` })),
  );
  const ids = made.map(({ id }) => id as number);
  await Promise.all([
    ...ids.slice(0, 40).map((id) => rest("PATCH", `/todos/${id}`, { due_date: "2090-01-01" })),
    ...ids.slice(40, 65).map((id) => rest("POST", `/todos/${id}/toggle`)),
    ...ids.slice(65).map((id) => rest("DELETE", `/todos/${id}`)),
    ...Array.from({ length: 9 }, () => rest("DELETE", "/todos/999999")),
  ]);
  for (let n = 0; n < 3; n++) await call("get-pending-todos");
  await call("update-todo", { todo_ids: ids.slice(0, 25), context: "home" });

  await page.goto(`${baseUrl}/account/actions`);
  const card = page.locator(".log li.run");
  expect(await card.count()).toBe(1);
  expect((await card.boundingBox())?.height).toBeLessThanOrEqual(400);
  expect(await card.innerText()).toMatch(
    /Claude Desktop [\d:–]+\s+refused 9\s+deleted 15\s+made 80\s+ticked 25\s+moved 40\s+changed 25/,
  );
  await card.getByRole("link", { name: "deleted 15" }).click();
  expect(await page.locator(".log li.card").count()).toBe(15);
  await page.getByRole("link", { name: "Choose all on this page" }).click();
  await page.getByLabel("Choose: Task 70").uncheck();
  await press(page, "Take back the chosen ones", "14 taken back.");
  const stays = page.locator(".log li.card", { has: page.getByRole("button", { name: /Bring it back/ }) });
  expect(await stays.allInnerTexts()).toEqual([expect.stringContaining("Task 70")]);

  await rest("POST", "/todos", { title: "One more" });
  await page.goto(`${baseUrl}/account`);
  await page.getByText("While you were away: Claude Desktop made 1.").waitFor();
  await page.getByRole("link", { name: "Review" }).click();
  await page.getByRole("link", { name: "Take back…" }).click();
  await press(page, "Take it all back", "changes of Claude Desktop are taken back.");
  expect((await rest("GET", "/todos")).meta.total).toBe(0);
});

browserTest("a person chooses what an agent must ask for, and decides about one and about all", async () => {
  const { page, answer, rest } = await signedInPerson(site);
  const ids: number[] = [];
  for (const title of ["Rent", "Milk", "Bread", "Dentist"])
    ids.push((await rest("POST", "/todos", { title })).id);
  const titles = async () =>
    (await rest("GET", "/todos")).data.map(({ title }: { title: string }) => title).toSorted();

  await page.goto(`${baseUrl}/account/actions`);
  await page.getByRole("link", { name: "Agent rules" }).click();
  await page.locator("summary", { hasText: "Rules" }).click();
  await page.getByLabel("Ask me before it deletes anything").check();
  await page.getByLabel("Changes a day, at most").fill("5");
  await press(page, "Save the rules of Claude Desktop", "Its rules are saved.");
  await page.getByText("Left today: 5 changes.").waitFor();

  for (const id of ids) expect((await answer("DELETE", `/todos/${id}`)).status).toBe(202);
  await page.goto(`${baseUrl}/account`);
  const cards = page.locator("#approvals li.card");
  expect(await cards.count()).toBe(3);
  expect(await cards.first().innerText()).toContain("Claude Desktop: Delete the todo Rent");
  await cards.first().getByRole("button", { name: "Approve" }).click();
  await page.getByText("1 approved and carried out.").waitFor();
  expect(await titles()).toEqual(["Bread", "Dentist", "Milk"]);

  await rest("PATCH", `/todos/${ids[2]}`, { title: "Brown bread" });
  await page.goto(`${baseUrl}/account/approvals`);
  await cards.nth(0).getByRole("button", { name: "Decline" }).click();
  await page.getByText("1 declined.").waitFor();
  await press(page, "Approve all 2", /approved/);
  await page.goto(`${baseUrl}/account/approvals`);
  await page.getByText("Left alone: it was changed meanwhile").waitFor();
  await page.getByText("Nothing waits.").waitFor();
  expect(await titles()).toEqual(["Brown bread", "Milk"]);
});
