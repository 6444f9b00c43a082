import { expect } from "bun:test";
import { browserTest, callTool, signedInPerson, useSite } from "../../../support/pages/support.ts";

const site = await useSite();
const { baseUrl } = site.stack.config;

browserTest(
  "two hundred calls are one card, and any part of them is taken back by three clicks",
  async () => {
    const { page, newToken } = await signedInPerson(site);
    const token = await newToken("Claude");
    const rest = (method: string, path: string, body?: object) =>
      site.stack.rest(method, path, { token, ...(body && { body }) });
    const made = await Promise.all(
      Array.from({ length: 80 }, (_, n) => rest("POST", "/todos", { title: `Task ${n}` })),
    );
    const ids = made.map(({ body }) => body.id as number);
    await Promise.all([
      ...ids.slice(0, 40).map((id) => rest("PATCH", `/todos/${id}`, { due_date: "2090-01-01" })),
      ...ids.slice(40, 65).map((id) => rest("POST", `/todos/${id}/toggle`)),
      ...ids.slice(65).map((id) => rest("DELETE", `/todos/${id}`)),
      ...Array.from({ length: 9 }, () => rest("DELETE", "/todos/999999")),
    ]);
    for (let n = 0; n < 3; n++) await callTool(site, token, "get-pending-todos");
    await callTool(site, token, "update-todo", { todo_ids: ids.slice(0, 25), context: "home" });

    await page.setViewportSize({ width: 1280, height: 900 });
    await page.goto(`${baseUrl}/account/actions`);
    const card = page.locator(".log li.run");
    expect(await card.count()).toBe(1);
    expect((await card.boundingBox())?.height).toBeLessThanOrEqual(400);
    expect(await card.innerText()).toMatch(
      /Claude\s+refused 9, deleted 15, made 80, ticked 25, moved 40, changed 25/,
    );

    await card.getByRole("link", { name: "deleted 15" }).click();
    expect(await page.locator(".log li.card").count()).toBe(15);
    await page.getByRole("link", { name: "Choose all on this page" }).click();
    await page.getByLabel("Choose: Task 70").uncheck();
    await page.getByRole("button", { name: "Take back the chosen ones" }).click();
    await page.getByText("14 taken back.").waitFor();
    const stays = page.locator(".log li.card", { has: page.getByRole("button", { name: /Bring it back/ }) });
    expect(await stays.allInnerTexts()).toEqual([expect.stringContaining("Task 70")]);

    await rest("POST", "/todos", { title: "One more" });
    await page.goto(`${baseUrl}/account`);
    await page.getByText("Since you last looked: Claude made 1.").waitFor();
    await page.getByRole("link", { name: "Since you last looked" }).click();
    await page.getByRole("link", { name: "Take back all of it…" }).click();
    await page.getByRole("button", { name: "Take it all back" }).click();
    await page.getByText("changes of Claude are taken back.").waitFor();
    expect((await rest("GET", "/todos")).body.meta.total).toBe(0);
  },
);
