import { afterAll, expect, test } from "bun:test";
import { mkdir, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import { $ } from "bun";
import { useStack } from "../../harness.ts";
import { folderOfFile } from "../../support/folder.ts";
import { startFaultyProxy } from "./faulty-proxy.ts";

const root = join(import.meta.dir, "../../..");
const packed = join(root, "kept-client-0.1.0.tgz");
const { config, issuer, rest } = await useStack();
const proxy = await startFaultyProxy(config.baseUrl);
const folder = folderOfFile("client");
const token = await issuer.token();
afterAll(async () => {
  proxy.stop();
  await rm(packed, { force: true });
});

/** The code blocks of a document in one language, with the address of this test's service. */
async function documented(page: string, language: string, url: string): Promise<string[]> {
  const text = await Bun.file(join(root, page)).text();
  const blocks = text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, "gms"));
  return Array.from(blocks, ([, block = ""]) => block.replaceAll("http://localhost:3000", url));
}

const [install = "", session = "", later = "", completions = ""] = await documented(
  "docs/client.md",
  "sh",
  config.baseUrl,
);

/** A shell in which packages are installed into the test's own folder, and programs come from there. */
const environment = {
  ...process.env,
  PATH: `${folder}/bin:${process.env.PATH}`,
  npm_config_prefix: folder,
  npm_config_prefer_offline: "true",
  XDG_STATE_HOME: join(folder, "state"),
  HOME: folder,
  KEPT_URL: config.baseUrl,
  KEPT_TOKEN: token,
};

async function run(program: readonly string[], env: Record<string, string> = {}) {
  const running = Bun.spawn([...program], { cwd: folder, env: { ...environment, ...env }, stderr: "pipe" });
  const [out, errors] = await Promise.all([running.stdout.text(), running.stderr.text()]);
  return { exitCode: await running.exited, out: out.trim(), errors: errors.trim() };
}

await mkdir(join(folder, "data"));
await $`bash -e -c ${install}`.cwd(root).env(environment).quiet();
// An empty project of somebody else, which has the same package.
await Bun.write(join(folder, "project/package.json"), JSON.stringify({ type: "module" }));
await symlink(join(folder, "lib/node_modules"), join(folder, "project/node_modules"));
await Bun.write(join(folder, "data/owner-token"), token);

test("the README's examples compile in a project of somebody else, and Node runs them", async () => {
  await rest("POST", "/habits", { body: { name: "Read", type: "good", frequency: "daily" } });
  const [first = "", second = ""] = await documented("api/client/README.md", "ts", proxy.url);
  await Bun.write(join(folder, "project/first.ts"), first);
  await Bun.write(join(folder, "project/second.ts"), second);
  const options = {
    strict: true,
    target: "es2022",
    module: "nodenext",
    types: ["node"],
    typeRoots: [join(root, "node_modules/@types")],
  };
  await Bun.write(join(folder, "project/tsconfig.json"), JSON.stringify({ compilerOptions: options }));
  const compiled = await run([join(root, "node_modules/.bin/tsc"), "--project", "project"]);
  expect([compiled.exitCode, compiled.out]).toEqual([0, ""]);
  // Kept makes the todo, but the answer never arrives.
  proxy.faults.push("cut");
  const { out, errors } = await run(["node", "project/first.js"]);
  expect(errors).toBe("");
  expect(out).toMatch(/^Todo \d+ is due on 2026-12-01\.\nRead: a streak of 1\.$/);
  const changes = proxy.heads.filter((head) => head.startsWith("POST /api/v1/todos "));
  expect(changes).toHaveLength(2);
  const { data } = (await rest("GET", "/todos?q=plants")).body;
  expect(data).toHaveLength(1);
  expect(await run(["node", "project/second.js"])).toEqual({
    exitCode: 0,
    out: "Mend the lamp in Home.\nFound Mend the lamp.\n4 things.\nTodo not found.",
    errors: "",
  });
});

test("the package is of this release, with the same openapi-fetch, and nothing that it does not need", async () => {
  const [own, whole] = await Promise.all(
    ["api/client", "."].map((path) => Bun.file(join(root, path, "package.json")).json()),
  );
  expect(own.version).toBe(whole.version);
  expect(own.dependencies).toEqual({ "openapi-fetch": whole.devDependencies["openapi-fetch"] });
  const installed = join(folder, "project/node_modules/@kept/client");
  const types = await Bun.file(join(installed, "dist/schema.d.ts")).text();
  expect(types).toBe(await Bun.file(join(root, "docs/openapi.d.ts")).text());
  // Its dependencies lie in its own folder, because it is installed for a whole computer.
  const files = [...new Bun.Glob("**").scanSync(installed)]
    .filter((path) => !path.startsWith("node_modules/"))
    .map((path) => path.replace(/^dist\/.*\./, "dist/*."));
  expect([...new Set(files)].sort().join(" ")).toBe("LICENSE README.md dist/*.js dist/*.ts package.json");
});

test("kept does what docs/client.md shows", async () => {
  const user = await issuer.token({ sub: "reader of the docs" });
  await Bun.write(join(folder, "data/owner-token"), user);
  const { exitCode, out, errors } = await run(["bash", "-e", "-c", session]);
  expect([exitCode, errors]).toEqual([0, ""]);
  const [rent, warning, habit, day, due, others, done, undone, ...log] = out.split("\n");
  expect(rent).toMatch(
    /^Added \[ \] t\d+ +Pay rent {2}\(due \d{4}-\d\d-01 09:00, reminder \S+-01T09:00, FREQ=MONTHLY;BYMONTHDAY=1, #Home\)$/,
  );
  expect(warning).toMatch(/^The reminder reaches nobody until you choose .*\/account\/settings$/);
  expect(habit).toMatch(/^Added \[ \] h\d+ +Read {2}\(streak 0\)$/);
  expect(day).toMatch(/^\d{4}-\d\d-\d\d \(UTC\)$/);
  expect(due).toEndWith("Read  (streak 0)");
  expect(others).toBe("1 more pending todo");
  expect(done).toMatch(/^\[x\] h\d+ +Read {2}\(streak 1\)$/);
  expect(undone).toBe("“Read” is open again.");
  expect(log).toHaveLength(3);
  expect(log[0]).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}new {6}c\d+ #Home$/);
  const exported = await Bun.file(join(folder, "kept.jsonl")).text();
  const kinds = exported
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line).kind);
  expect(kinds.sort()).toEqual(["category", "habit", "todo"]);
  const more = await run(["bash", "-e", "-c", later], { KEPT_TOKEN: user });
  expect(more.errors).toBe("");
  const [upcoming, searched, edited, snoozed, restored, deleted] = more.out.split("\n");
  expect([upcoming, searched, edited]).toEqual([rent?.slice(6), due, due].map((line) => line ?? ""));
  expect(snoozed).toMatch(/^\[ \] t\d+ +Pay rent {2}\(due \d{4}-\d\d-\d\d 09:00, /);
  expect(restored).toBe("“Pay rent” is as it was before.");
  expect(deleted).toStartWith("Deleted “Pay rent”. To restore it, open the page ");
  expect(await run(["bash", "-e", "-c", completions])).toMatchObject({ exitCode: 0, errors: "" });
  for (const path of [".local/share/bash-completion/completions/kept", ".config/fish/completions/kept.fish"])
    expect(await Bun.file(join(folder, path)).text()).toContain("complete ");
  expect(await Bun.file(join(folder, ".zfunc/_kept")).text()).toStartWith("#compdef kept\n");
  // Nobody listens at this port, and no other test can take it.
  const away = await run(["kept", "today"], { KEPT_URL: "http://127.0.0.1:700" });
  expect(away).toMatchObject({ exitCode: 1, errors: expect.stringContaining("(connect ECONNREFUSED") });
}, 300_000);
