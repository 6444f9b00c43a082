import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { $, SQL } from "bun";
import { type JsonBody, useStack } from "../../harness.ts";
import { fillUser } from "../../support/full-user.ts";
import { startFaultyProxy } from "./faulty-proxy.ts";

const root = join(import.meta.dir, "../../..");
const packed = join(root, "kept-client-0.1.0.tgz");
const { config, issuer, rest } = await useStack();
const proxy = await startFaultyProxy(config.baseUrl);
const folder = await mkdtemp(join(tmpdir(), "kept-client-"));
const token = await issuer.token();
afterAll(async () => {
  proxy.stop();
  await Promise.all([rm(folder, { recursive: true }), rm(packed, { force: true })]);
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

type Printed = Readonly<{ exitCode: number; out: string; errors: string }>;

async function run(program: readonly string[], env: Record<string, string> = {}): Promise<Printed> {
  const running = Bun.spawn([...program], { cwd: folder, env: { ...environment, ...env }, stderr: "pipe" });
  const [out, errors] = await Promise.all([running.stdout.text(), running.stderr.text()]);
  return { exitCode: await running.exited, out: out.trim(), errors: errors.trim() };
}

/** `kept` as a user of the service. */
const keptOf =
  (userToken: string) =>
  (...words: string[]): Promise<Printed> =>
    run(["kept", ...words], { KEPT_TOKEN: userToken });

const linesOf = ({ out }: Printed): JsonBody[] => out.split("\n").map((line) => JSON.parse(line));

beforeAll(async () => {
  await mkdir(join(folder, "data"));
  await $`bash -e -c ${install}`.cwd(root).env(environment).quiet();
  await $`npm install ${packed}`
    .cwd(await project())
    .env(environment)
    .quiet();
  await Bun.write(join(folder, "data/owner-token"), token);
});

/** An empty project of somebody else. */
async function project(): Promise<string> {
  const path = join(folder, "project");
  await mkdir(path, { recursive: true });
  await Bun.write(join(path, "package.json"), JSON.stringify({ type: "module" }));
  return path;
}

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
  const files = [...new Bun.Glob("**").scanSync(installed)].map((path) =>
    path.replace(/^dist\/.*\./, "dist/*."),
  );
  expect([...new Set(files)].sort()).toEqual([
    "LICENSE",
    "README.md",
    "dist/*.js",
    "dist/*.ts",
    "package.json",
  ]);
});

describe("kept", () => {
  test("does what docs/client.md shows", async () => {
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
    for (const path of [
      ".local/share/bash-completion/completions/kept",
      ".config/fish/completions/kept.fish",
    ])
      expect(await Bun.file(join(folder, path)).text()).toContain("complete ");
    expect(await Bun.file(join(folder, ".zfunc/_kept")).text()).toStartWith("#compdef kept\n");
  });

  test("says what it does as JSON", async () => {
    const kept = keptOf(await issuer.token({ sub: "program" }));
    const [added] = linesOf(await kept("--json", "add", "Call Ada tomorrow #work"));
    expect(added).toMatchObject({ title: "Call Ada", category: { name: "work" }, reminder: null });
    const [again] = linesOf(await kept("add", "--json", "Call Bob today #Work"));
    expect(again.category.id).toBe(added.category.id);
    const [{ habits, todos }] = linesOf(await kept("today", "--json"));
    expect([habits, todos]).toEqual([[], [again]]);
    expect(linesOf(await kept("log", "--json")).map(({ type }) => type)).toEqual([
      "category",
      "todo",
      "todo",
    ]);
    expect(linesOf(await kept("done", "--json", "call bob"))).toMatchObject([{ is_completed: true }]);
    expect(linesOf(await kept("undo", "--json"))).toEqual([
      { undone: "completed", type: "todo", id: again.id },
    ]);
  });

  test("takes back only what it did itself, and nothing that was changed since", async () => {
    const user = await issuer.token({ sub: "careful" });
    const kept = keptOf(user);
    const page = `${config.baseUrl}/account/actions`;
    expect(await kept("undo")).toMatchObject({ exitCode: 1, errors: expect.stringContaining(page) });
    const [{ id }] = linesOf(await kept("add", "Buy milk", "--json"));
    await rest("PATCH", `/todos/${id}`, { token: user, body: { title: "Buy oat milk" } });
    const { exitCode, errors } = await kept("undo");
    expect(exitCode).toBe(1);
    expect(errors).toStartWith("kept: “Buy oat milk” was changed since, so it stays as it is.");
    expect((await rest("GET", `/todos/${id}`, { token: user })).status).toBe(200);
    await kept("add", "Buy bread");
    expect((await kept("undo")).out).toStartWith("Deleted “Buy bread” again.");
    expect((await rest("GET", "/todos", { token: user })).body.meta.total).toBe(1);
  });

  test("follows what others change, and goes on where it was", async () => {
    const user = await issuer.token({ sub: "follower" });
    const kept = keptOf(user);
    const { id } = (await rest("POST", "/todos", { token: user, body: { title: "First" } })).body;
    const following = Bun.spawn(["kept", "log", "--follow"], {
      cwd: folder,
      env: { ...environment, KEPT_TOKEN: user },
    });
    let told = "";
    for await (const text of following.stdout.pipeThrough(new TextDecoderStream())) {
      if (told === "") await rest("DELETE", `/todos/${id}`, { token: user });
      told += text;
      if (told.includes("deleted")) break;
    }
    following.kill();
    expect(told.trim().split("\n")).toEqual([
      expect.stringMatching(new RegExp(`new +\\[ \\] t${id} +First$`)),
      expect.stringMatching(new RegExp(`deleted +todo t${id}$`)),
    ]);
    await rest("POST", "/categories", { token: user, body: { name: "Later" } });
    // A change that was committed a moment before may come again, while an older transaction runs.
    const { out } = await kept("log");
    expect(out).toContain("#Later");
    expect(out).not.toContain("First");
  });

  test("exports everything, however much and old it is", async () => {
    await using sql = new SQL(config.databaseUrl, { max: 1 });
    await fillUser(config.databaseUrl, "full", new Date().toISOString().slice(0, 10));
    await sql`insert into habit_completions (user_id, habit_id, local_date, completed_at)
      values ('full', 9000001, '2022-02-28', now())`;
    await sql`update habits set completions_count = 366 where user_id = 'full' and id = 9000001`;
    await sql`update habits set target = 8 where user_id = 'full' and id = 9000001`;
    await sql`insert into habit_amounts values
      ('full', 9000001, current_date, 3, 8), ('full', 9000001, current_date - 300, 9, 8)`;
    const exported = linesOf(await keptOf(await issuer.token({ sub: "full" }))("export"));
    const counts = Map.groupBy(exported, ({ kind }) => kind);
    expect(Object.fromEntries([...counts].map(([kind, { length }]) => [kind, length]))).toEqual({
      category: 10,
      habit: 30,
      completion: 30 * 365 + 1,
      amount: 2,
      todo: 2_000,
    });
  });

  test("says in one line what went wrong, and by its exit code of which kind it was", async () => {
    const user = await issuer.token({ sub: "clumsy" });
    const kept = keptOf(user);
    for (const title of ["Pay rent", "Pay gas"])
      await rest("POST", "/todos", { token: user, body: { title } });
    const refusals = await Promise.all([
      kept("done", "pay"),
      kept("done", "sleep"),
      kept("done", "t999"),
      kept("add", "tomorrow"),
      keptOf("wrong")("today"),
      // Nobody listens at this port, and no other test can take it.
      run(["kept", "today"], { KEPT_URL: "http://127.0.0.1:700" }),
    ]);
    for (const { exitCode, errors } of refusals) {
      expect(exitCode).toBe(1);
      expect(errors).toMatch(/^kept: .+$/);
    }
    expect(refusals[0]?.errors).toMatch(
      /^kept: Which one\? Say its number: t\d+ “Pay rent”, t\d+ “Pay gas”\.$/,
    );
    expect(refusals.at(-1)?.errors).toContain("does not answer (connect ECONNREFUSED");
    const withoutToken = run(["kept", "today"], { KEPT_TOKEN: "" });
    const meaningless = [kept("add"), kept("today", "now"), kept("today", "--dance"), withoutToken];
    for (const { exitCode } of await Promise.all(meaningless)) expect(exitCode).toBe(2);
  });
});
