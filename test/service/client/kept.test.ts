import { afterAll, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SQL } from "bun";
import { type JsonBody, useStack } from "../../harness.ts";
import { fillUser } from "../../support/full-user.ts";
import { keptMain, runKept } from "../../support/kept-command.ts";

const { config, issuer, rest } = await useStack();
const folder = await mkdtemp(join(tmpdir(), "kept-command-"));
afterAll(() => rm(folder, { recursive: true }));
const settings = { KEPT_URL: config.baseUrl, XDG_STATE_HOME: folder };

const newToken = () => issuer.token({ sub: crypto.randomUUID() });

/** `kept` as a user of the service. */
const keptOf =
  (user: string) =>
  (...words: string[]) =>
    runKept(words, { ...settings, KEPT_TOKEN: user });

const linesOf = ({ out }: Readonly<{ out: string }>): JsonBody[] =>
  out.split("\n").map((line) => JSON.parse(line));

test("kept says what it does as JSON", async () => {
  const kept = keptOf(await newToken());
  const [added] = linesOf(await kept("--json", "add", "Call Ada tomorrow #work"));
  expect(added).toMatchObject({ title: "Call Ada", category: { name: "work" }, reminder: null });
  const [again] = linesOf(await kept("add", "--json", "Call Bob today #Work"));
  expect(again.category.id).toBe(added.category.id);
  const [{ habits, todos }] = linesOf(await kept("today", "--json"));
  expect([habits, todos]).toEqual([[], [again]]);
  expect(linesOf(await kept("log", "--json")).map(({ type }) => type)).toEqual(["category", "todo", "todo"]);
  expect(linesOf(await kept("done", "--json", "call bob"))).toMatchObject([{ is_completed: true }]);
  expect(linesOf(await kept("undo", "--json"))).toEqual([
    { undone: "completed", type: "todo", id: again.id },
  ]);
});

test("kept takes back only what it did itself, and nothing that was changed since", async () => {
  const user = await newToken();
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

test("kept follows what others change, and goes on where it was", async () => {
  const user = await newToken();
  const kept = keptOf(user);
  const { id } = (await rest("POST", "/todos", { token: user, body: { title: "First" } })).body;
  const following = Bun.spawn([process.execPath, keptMain, "log", "--follow"], {
    env: { ...process.env, ...settings, KEPT_TOKEN: user },
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

test("kept exports everything, however much and old it is", async () => {
  await using sql = new SQL(config.databaseUrl, { max: 1 });
  await fillUser(config.databaseUrl, "exported", new Date().toISOString().slice(0, 10));
  await sql`insert into habit_completions (user_id, habit_id, local_date, completed_at)
    values ('exported', 9000001, '2022-02-28', now())`;
  await sql`update habits set completions_count = 366 where user_id = 'exported' and id = 9000001`;
  await sql`update habits set target = 8 where user_id = 'exported' and id = 9000001`;
  await sql`insert into habit_amounts values
    ('exported', 9000001, current_date, 3, 8), ('exported', 9000001, current_date - 300, 9, 8)`;
  const exported = linesOf(await keptOf(await issuer.token({ sub: "exported" }))("export"));
  const counts = Map.groupBy(exported, ({ kind }) => kind);
  expect(Object.fromEntries([...counts].map(([kind, { length }]) => [kind, length]))).toEqual({
    category: 10,
    habit: 30,
    completion: 30 * 365 + 1,
    amount: 2,
    todo: 2_000,
  });
});

test("kept says in one line what went wrong, and by its exit code of which kind it was", async () => {
  const user = await newToken();
  const kept = keptOf(user);
  for (const title of ["Pay rent", "Pay gas"]) await rest("POST", "/todos", { token: user, body: { title } });
  const refusals = await Promise.all([
    kept("done", "pay"),
    kept("done", "sleep"),
    kept("done", "t999"),
    kept("add", "tomorrow"),
    keptOf("wrong")("today"),
    runKept(["today"], { ...settings, KEPT_TOKEN: user, KEPT_URL: "http://127.0.0.1:700" }),
  ]);
  for (const { exitCode, errors } of refusals) {
    expect(exitCode).toBe(1);
    expect(errors).toMatch(/^kept: .+$/);
  }
  expect(refusals[0]?.errors).toMatch(
    /^kept: Which one\? Say its number: t\d+ “Pay rent”, t\d+ “Pay gas”\.$/,
  );
  expect(refusals.at(-1)?.errors).toContain("does not answer");
  const withoutToken = keptOf("")("today");
  const meaningless = [kept("add"), kept("today", "now"), kept("today", "--dance"), withoutToken];
  for (const { exitCode } of await Promise.all(meaningless)) expect(exitCode).toBe(2);
});
