import { expect } from "bun:test";
import { authorizationRequest, registerApp, tokenRequest } from "../../../support/identity/support.ts";
import {
  browserTest,
  callTool,
  createToken,
  signedInPerson,
  signUp,
  useSite,
} from "../../../support/pages/support.ts";

const site = await useSite();
const { baseUrl, authUrl, tokenCacheSeconds } = site.stack.config;

browserTest(
  "a new person makes a token of two scopes, sees what it did, and ends it on both doors",
  async () => {
    const page = await site.open();
    await signUp(site, page);
    const token = await createToken(site, page, "Laptop script", ["todos:read", "todos:write"]);

    const made = await site.stack.rest("POST", "/todos", { token, body: { title: "Water the plants" } });
    expect(made.status).toBe(201);
    expect((await site.stack.rest("GET", "/habits", { token })).status).toBe(403);
    expect((await callTool(site, token, "toggle-todo", { todo_id: made.body.id })).status).toBe(200);
    expect((await callTool(site, token, "get-today-habits")).status).toBe(403);

    await page.goto(`${baseUrl}/account/actions`);
    const calls = page.locator(".log li");
    expect(await calls.nth(0).textContent()).toContain("Tried to look at the habits due today");
    expect(await calls.nth(0).textContent()).toContain("Not permitted");
    expect(await calls.nth(1).textContent()).toContain("the todo Water the plants");
    expect(await calls.nth(1).textContent()).toContain("Laptop script");

    await page.getByRole("link", { name: "Tokens" }).click();
    await page.getByText("Revoke Laptop script?").click();
    await page.getByRole("button", { name: "Revoke Laptop script" }).click();
    await page.getByText("You have none").waitFor();
    await Bun.sleep(tokenCacheSeconds * 1_000);
    expect((await site.stack.rest("GET", "/todos", { token })).status).toBe(401);
    expect((await callTool(site, token, "get-pending-todos")).status).toBe(401);
  },
);

browserTest("a person lets an app do less than it asked for, and it can do no more than that", async () => {
  const { page } = await signedInPerson(site);
  const app = startApp();
  const client_id = await registerApp(site.identity.config, {
    client_name: "Planner",
    redirect_uris: [app.url],
  });
  const { address, verifier } = authorizationRequest(site.identity.config, {
    client_id,
    redirect_uri: app.url,
    scope: "habits:read todos:read todos:write",
  });
  await page.goto(`${authUrl}${address}`);
  await page.getByText("Planner wants to use Kept").waitFor();
  await page.getByLabel("habits:read").uncheck();
  await page.getByLabel("todos:write").uncheck();
  await page.getByRole("button", { name: "Allow" }).click();
  await page.getByText("Back in the app").waitFor();

  const code = new URL(page.url()).searchParams.get("code") ?? "";
  const grant = { grant_type: "authorization_code", client_id, redirect_uri: app.url, code };
  const { access_token: token, scope } = await tokenRequest(site.identity.config, {
    ...grant,
    code_verifier: verifier,
  });
  expect(scope).toBe("todos:read");
  expect((await callTool(site, token, "get-pending-todos")).status).toBe(200);
  expect((await callTool(site, token, "create-todo", { title: "No" })).status).toBe(403);
  await page.goto(`${baseUrl}/account/actions`);
  expect(await page.locator(".log li").first().textContent()).toContain("Planner");
  await app.stop();
});

browserTest(
  "the list of actions is filtered by token, tool and outcome, and goes back page by page",
  async () => {
    const { page, newToken } = await signedInPerson(site);
    const [first, second] = [await newToken("First"), await newToken("Second")];
    await callTool(site, first, "delete-todo", { todo_id: 404 });
    for (let call = 0; call < 55; call++)
      await callTool(site, second, "create-todo", { title: `Todo ${call}` });

    await page.goto(`${baseUrl}/account/actions`);
    const calls = page.locator(".log li");
    expect(await calls.count()).toBe(2);
    await page.goto(`${baseUrl}/account/actions?door=mcp`);
    expect(await calls.count()).toBe(50);
    expect(await calls.first().textContent()).toContain("Created the todo Todo 54");
    await page.getByRole("link", { name: "Older" }).click();
    expect(await calls.count()).toBe(6);
    expect(await calls.last().textContent()).toContain("Tried to delete the todo 404");

    await page.getByLabel("Tool").selectOption("create-todo");
    await page.getByRole("button", { name: "Filter" }).click();
    expect(await calls.count()).toBe(50);
    await page.getByRole("link", { name: "Show all" }).click();
    await page.getByText("By token, tool, way and outcome").click();
    await page.getByLabel("Outcome").selectOption("Not found");
    await page.getByRole("button", { name: "Filter" }).click();
    expect(await calls.allTextContents()).toEqual([expect.stringContaining("First")]);
    await page.getByLabel("Token or app").selectOption({ index: 1 });
    await page.getByRole("button", { name: "Filter" }).click();
    await page.getByText("No call matches.").waitFor();
  },
);

/** The address where an app on this computer awaits its person. */
function startApp() {
  const headers = { "content-type": "text/html" };
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: () => new Response("<title>App</title><p>Back in the app</p>", { headers }),
  });
  return { url: `http://127.0.0.1:${server.port}/callback`, stop: () => server.stop(true) };
}
