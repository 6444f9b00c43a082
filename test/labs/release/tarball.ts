import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { $ } from "bun";
import { freePort } from "../../../shared/embedded/servers/port.ts";
import { environmentOf, sharedParent, startCommand } from "../../service/embedded/instance.ts";
import { commandBlocks } from "../../support/documented.ts";
import { pack } from "./build.ts";

// Somebody's empty folder, with nothing of this checkout but a Redis.
const folder = await sharedParent();
const archive = await pack(join(folder, "release"));
const port = await freePort();
const env = { npm_config_offline: "true" };
const place = { dataDir: join(folder, "data"), port, env };
const here = environmentOf(place);

test("the packed service starts by npx in an empty folder, and the README's calls and commands work there", async () => {
  await $`npm install --prefer-offline --silent ${archive}`.cwd(folder);
  const run = startCommand(place, ["setsid", "npx", "kept"], { cwd: folder });
  afterAll(() => run.end("SIGTERM"));
  await run.printed("Try it:");
  expect(run.output()).toContain("npx kept owner");

  const calls = (await commandBlocks("README.md")).filter(({ text }) => text.includes("curl"));
  const typed = calls.map(({ text }) => text.replaceAll("http://localhost:3000", `http://localhost:${port}`));
  const answers = await $`bash -e -c ${typed.join("\n")}`.cwd(folder).text();
  expect(answers).toContain('"streak_count":1');
  expect(answers).toContain('"pending_todos"');
  const page = await (await fetch(`http://localhost:${port}/docs`)).text();
  expect(page).toContain('id="createTodo"');
  const owner = await $`npx kept owner`.cwd(folder).env(here).text();
  expect(owner).toContain(`http://localhost:${port}/sign-in/link?token=`);
  expect(await $`npx kept backup`.cwd(folder).env(here).text()).toContain("backed up within a minute");

  // A terminal sends Ctrl-C to npx and to all that it runs.
  process.kill(-run.pid, "SIGINT");
  await run.exited;
  expect(run.output()).toContain("Stopped.");
});

test("unpacked, npm ci installs the versions of package-lock.json, without tests and their packages", async () => {
  await $`tar -xzf ${archive}`.cwd(folder);
  const unpacked = join(folder, "package");
  const said = await $`npm ci --omit=dev --dry-run --offline`.cwd(unpacked).text();
  expect(said).toMatch(/added \d+ packages/);
  const files = (await $`tar -tzf ${archive}`.text()).split("\n");
  expect(files).toContain("package/npm-shrinkwrap.json");
  expect(files.filter((file) => /^package\/(test|\.|node_modules|api\/client)/.test(file))).toEqual([]);
});
