import { afterAll, expect } from "bun:test";
import { useStack } from "../../harness.ts";
import { agent, post, rpc } from "../../support/mcp.ts";
import { browserTest, launchBrowser } from "../../support/pages/support.ts";
import { eventually } from "../../support/reminder/stack.ts";

const stack = await useStack();
const { token, call } = await agent(stack);

/** Hosts allow this much to an app that declares no domains (MCP Apps, "Restrictive Default"). */
const policy =
  "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:";

/** A host as small as can be: a sandboxed frame, the handshake, the result, and the app's calls passed on. */
const hostScript = `
const frame = document.querySelector("iframe");
const send = (message) => frame.contentWindow.postMessage({ jsonrpc: "2.0", ...message }, "*");
window.heights = [];
addEventListener("message", async ({ source, data: { id, method, params } }) => {
  if (source !== frame.contentWindow) return;
  if (method === "ui/initialize")
    send({ id, result: { protocolVersion: params.protocolVersion, hostInfo: { name: "test" }, hostCapabilities: {} } });
  if (method === "ui/notifications/initialized") send({ method: "ui/notifications/tool-result", params: window.result });
  if (method === "ui/notifications/size-changed") window.heights.push(params.height);
  if (method === "tools/call") send({ id, result: await callTool(params.name, params.arguments) });
});
frame.srcdoc = window.app;`;

let browser: ReturnType<typeof launchBrowser> | undefined;
afterAll(async () => (await browser)?.close());

const sent: { name: string; args: Record<string, unknown> }[] = [];

async function openApp(tool: string, args = {}) {
  const { tools } = (await post(stack, rpc("tools/list"), { token })).body.result;
  const uri = tools.find(({ name }: { name: string }) => name === tool)._meta.ui.resourceUri;
  const { contents } = (await post(stack, rpc("resources/read", { uri }), { token })).body.result;
  const app = contents[0].text.replace(
    "<head>",
    `<head><meta http-equiv="Content-Security-Policy" content="${policy}">`,
  );
  const { answer } = await call(tool, args);
  browser ??= launchBrowser();
  const page = await (await browser).newPage();
  const errors: string[] = [];
  page.on("pageerror", ({ message }) => errors.push(message));
  await page.exposeFunction("callTool", async (name: string, callArgs: Record<string, unknown>) => {
    sent.push({ name, args: callArgs });
    return (await call(name, callArgs)).answer.body.result;
  });
  await page.addInitScript(`Object.assign(window, ${JSON.stringify({ result: answer.body.result, app })})`);
  await page.route("https://host.example/", (route) =>
    route.fulfill({
      contentType: "text/html",
      body: `<iframe sandbox="allow-scripts"></iframe><script>${hostScript}</script>`,
    }),
  );
  await page.goto("https://host.example/");
  return { page, frame: page.frameLocator("iframe"), errors };
}

browserTest(
  "in a host that shows apps, a found todo is ticked and opened again, each by one tool call",
  async () => {
    await call("create-todo", { title: "<b>Pay</b> rent", due_date: "2026-01-02" });
    const { page, frame, errors } = await openApp("get-pending-todos");
    await frame.getByText("<b>Pay</b> rent").waitFor();
    await frame.getByRole("button", { name: "Done: <b>Pay</b> rent" }).click();
    await frame.getByRole("button", { name: "Undo: <b>Pay</b> rent" }).waitFor();
    await page.waitForFunction("window.heights.length > 0");
    const completed = async () => (await call("get-pending-todos", { status: "completed" })).facts.todos;
    const [{ title }] = await eventually(async () => (await completed()).length > 0 && completed());
    expect(title).toBe("<b>Pay</b> rent");
    await frame.getByRole("button", { name: "Undo: <b>Pay</b> rent" }).click();
    await frame.getByRole("button", { name: "Done: <b>Pay</b> rent" }).waitFor();
    await eventually(() => sent.length === 2);
    expect(sent.map(({ name, args }) => [name, args.completed])).toEqual([
      ["toggle-todo", true],
      ["toggle-todo", false],
    ]);
    expect(new Set(sent.map(({ args }) => args.idempotency_key)).size).toBe(2);
    expect(errors).toEqual([]);
  },
);

browserTest("a habit is ticked, and a refused tick is taken back with the refusal's sentence", async () => {
  const { facts } = await call("create-habit", { name: "Read" });
  const { frame } = await openApp("get-today-habits");
  await call("complete-habit", { habit_id: facts.habit.id });
  await frame.getByRole("button", { name: "Done today: Read" }).click();
  await frame.getByText("already").waitFor();
  await frame.getByRole("button", { name: "Done today: Read" }).waitFor();
});
