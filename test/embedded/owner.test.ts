import { expect, test } from "bun:test";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../../shared/embedded/port.ts";
import { createBrowser } from "../identity/browser.ts";
import { environmentOf, sharedParent, startIn } from "./instance.ts";

const root = join(import.meta.dir, "../..");
const parent = await sharedParent();

test("npm run owner beside npm start prints a link that opens the account pages, and no log has it", async () => {
  const dataDir = mkdtempSync(join(parent, "data-"));
  const [port, identityPort] = [await freePort(), await freePort()];
  const place = { dataDir, port, env: { IDENTITY_PORT: String(identityPort), LOG_LEVEL: "debug" } };
  const run = startIn(place, root, undefined, "shared/embedded/main.ts");
  await run.printed("Try it:");
  // The start is told in plain lines: no package warns, and no role logs that it is ready.
  expect(run.output()).not.toMatch(/warn|unsupported|deprecat|"level":[3-6]0/i);

  // The command knows where the data is, and nothing of the ports.
  const cli = Bun.spawn([process.execPath, "api/cli/owner.ts"], {
    cwd: root,
    env: { ...environmentOf({ dataDir, port: 1 }) },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const link = /http\S+/.exec(await cli.stdout.text())?.[0] ?? "";
  expect(link).toStartWith(`http://localhost:${identityPort}/sign-in/link?token=`);

  // Each site sees its own cookies, so one browser stands for each.
  const provider = createBrowser(`http://localhost:${identityPort}`);
  const account = createBrowser(`http://localhost:${port}`);
  const away = await provider.submit(await provider.open(link), "/sign-in/link", {});
  const asked = await account.open(away.url);
  const today = await account.open((await provider.open(asked.url)).url);
  expect(today).toMatchObject({ status: 200, url: `http://localhost:${port}/account` });
  expect(today.text).toContain("<h1>Today</h1>");
  expect((await provider.open(link)).status).toBe(410);
  expect((await provider.open("/profile")).text).toContain("owner@localhost");

  await run.end("SIGINT");
  const token = new URL(link).searchParams.get("token") ?? "";
  expect(token).toHaveLength(43);
  expect(run.output()).toContain("signed in by a one-time link");
  expect(run.output()).not.toContain(token);
  expect(run.output()).not.toMatch(/warning|deprecat/i);
  const files = Bun.spawn(["grep", "-rlaF", token, dataDir], { stdout: "pipe" });
  expect(await files.stdout.text()).toBe("");
}, 120_000);

test("npm run owner without a running Kept says so", async () => {
  const env = environmentOf({ dataDir: mkdtempSync(join(tmpdir(), "kept-none-")), port: 1 });
  const cli = Bun.spawn([process.execPath, "api/cli/owner.ts"], { cwd: root, env, stderr: "pipe" });
  expect(await cli.stderr.text()).toStartWith("Kept is not running in ");
  expect(await cli.exited).toBe(1);
});
