import { afterAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../../../shared/embedded/servers/port.ts";
import { commandBlocks } from "../../support/documented.ts";
import { createBrowser } from "../../support/identity/browser.ts";
import { eventually } from "../../support/reminder/stack.ts";
import { environmentOf, root, sharedParent, startCommand, startReady } from "./instance.ts";

const parent = await sharedParent();
const dataDir = join(parent, "data");
mkdirSync(dataDir);
const instance = { dataDir, port: await freePort(), env: { LOG_LEVEL: "debug" } };

const blocks = (await commandBlocks("README.md")).map(({ text }) => text.trim());
const start = blocks.find((block) => block.endsWith("npm start"))?.replace("npm ci && ", "") ?? "";
const calls = blocks.filter((block) => block.includes("curl"));
const run = await startReady(instance, () => startCommand(instance, start.split(" "), { cwd: root }));
afterAll(() => run.end("SIGTERM"));
const { port } = instance;

test("the README's start is told in plain lines: no package warns, and no role logs that it is ready", () => {
  expect(run.output()).not.toMatch(/warn|unsupported|deprecat|"level":[3-6]0/i);
});

test("the README's calls work when they are pasted beside npm start", async () => {
  expect(calls.length).toBeGreaterThan(0);
  for (const block of calls.map((text) =>
    text.replaceAll("http://localhost:3000", `http://localhost:${port}`),
  )) {
    const shell = Bun.spawn(["bash", "-e"], { cwd: parent, stdin: new Blob([block]), stdout: "pipe" });
    const answers = (await shell.stdout.text()).trim().replaceAll("}{", "}\n{").split("\n");
    expect(await shell.exited).toBe(0);
    expect(answers.map((answer) => JSON.parse(answer))).toMatchObject([
      { name: "Read", streak_count: 0 },
      { name: "Read", streak_count: 1, is_completed_today: true },
      { habits: expect.anything() },
    ]);
  }
});

test("npm run owner beside npm start prints a link that opens the account pages, and no log has it", async () => {
  // The command knows where the data is, and nothing of the ports.
  const cli = Bun.spawn([process.execPath, "api/cli/owner.ts"], {
    cwd: root,
    env: { ...environmentOf({ dataDir, port: 1 }) },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const link = /http\S+/.exec(await cli.stdout.text())?.[0] ?? "";
  expect(link).toStartWith(`http://localhost:${port}/sign-in/link?token=`);

  const browser = createBrowser(`http://localhost:${port}`);
  await browser.submit(await browser.open(link), "/sign-in/link", {});
  // A busy machine may need "Try again".
  await eventually(async () => {
    const today = await browser.open("/account");
    return today.url === `http://localhost:${port}/account` && today.text.includes(">Today</h1>");
  });
  expect((await browser.open(link)).status).toBe(410);
  expect((await browser.open("/profile")).text).toContain("owner@localhost");

  await run.end("SIGINT");
  const token = new URL(link).searchParams.get("token") ?? "";
  expect(token).toHaveLength(43);
  expect(run.output()).toContain("signed in by a one-time link");
  expect(run.output()).not.toContain(token);
  expect(run.output()).not.toMatch(/warning|deprecat/i);
  const files = Bun.spawn(["grep", "-rlaF", token, dataDir], { stdout: "pipe" });
  expect(await files.stdout.text()).toBe("");
});

test("npm run owner without a running Kept says so", async () => {
  const env = environmentOf({ dataDir: mkdtempSync(join(tmpdir(), "kept-none-")), port: 1 });
  const cli = Bun.spawn([process.execPath, "api/cli/owner.ts"], { cwd: root, env, stderr: "pipe" });
  expect(await cli.stderr.text()).toStartWith("Kept is not running in ");
  expect(await cli.exited).toBe(1);
});
