import { beforeEach, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { commandTable, completionScripts, keptCommands, usage } from "../../../api/client/cli/commands.ts";
import { type JsonBody, useStack } from "../../harness.ts";
import { folderOfFile } from "../../support/folder.ts";
import { fillUser } from "../../support/full-user.ts";
import { create } from "../../support/groups.ts";
import { keptMain, runKept } from "../../support/kept-command.ts";
import { eventually } from "../../support/reminder/stack.ts";
import { wordsIn } from "../../support/text-table.ts";

const root = join(import.meta.dir, "../../..");
const { config, issuer, rest, sql } = await useStack();
const folder = folderOfFile("commands");

let token = "";
beforeEach(async () => {
  token = await issuer.token({ sub: crypto.randomUUID() });
});

const settings = { KEPT_URL: config.baseUrl, XDG_STATE_HOME: folder };
const keptWith = (input: string, ...words: string[]) =>
  runKept(words, { ...settings, KEPT_TOKEN: token }, input);
const kept = (...words: string[]) => keptWith("", ...words);
/** `kept` with another token. */
const keptOf =
  (user: string) =>
  (...words: string[]) =>
    runKept(words, { ...settings, KEPT_TOKEN: user });

async function make(path: string, body: object): Promise<JsonBody> {
  return (await rest("POST", path, { token, body })).body;
}

const todo = async (id: number): Promise<JsonBody> => (await rest("GET", `/todos/${id}`, { token })).body;
const page = `${config.baseUrl}/account/actions`;

const linesOf = ({ out }: Readonly<{ out: string }>): JsonBody[] =>
  out.split("\n").map((line) => JSON.parse(line));

test("kept says what it does as JSON", async () => {
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
  expect(await kept("undo")).toMatchObject({ exitCode: 1, errors: expect.stringContaining(page) });
  const [{ id }] = linesOf(await kept("add", "Buy milk", "--json"));
  await rest("PATCH", `/todos/${id}`, { token, body: { title: "Buy oat milk" } });
  const { exitCode, errors } = await kept("undo");
  expect(exitCode).toBe(1);
  expect(errors).toStartWith("kept: “Buy oat milk” was changed since, so it stays as it is.");
  expect((await rest("GET", `/todos/${id}`, { token })).status).toBe(200);
  await kept("add", "Buy bread");
  expect((await kept("undo")).out).toStartWith("Deleted “Buy bread” again.");
  expect((await rest("GET", "/todos", { token })).body.meta.total).toBe(1);
});

test("kept follows what others change, and goes on where it was", async () => {
  const { id } = (await rest("POST", "/todos", { token, body: { title: "First" } })).body;
  const following = Bun.spawn([process.execPath, keptMain, "log", "--follow"], {
    env: { ...process.env, ...settings, KEPT_TOKEN: token },
  });
  let told = "";
  for await (const text of following.stdout.pipeThrough(new TextDecoderStream())) {
    if (told === "") await rest("DELETE", `/todos/${id}`, { token });
    told += text;
    if (told.includes("deleted")) break;
  }
  following.kill();
  expect(told.trim().split("\n")).toEqual([
    expect.stringMatching(new RegExp(`new +\\[ \\] t${id} +First$`)),
    expect.stringMatching(new RegExp(`deleted +todo t${id}$`)),
  ]);
  await rest("POST", "/categories", { token, body: { name: "Later" } });
  // A change that was committed a moment before may come again, while an older transaction runs.
  const { out } = await kept("log");
  expect(out).toContain("#Later");
  expect(out).not.toContain("First");
});

test("kept exports everything, however much and old it is", async () => {
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
  for (const title of ["Pay rent", "Pay gas"]) await rest("POST", "/todos", { token, body: { title } });
  const refusals = await Promise.all([
    kept("done", "pay"),
    kept("done", "sleep"),
    kept("done", "t999"),
    kept("add", "tomorrow"),
    keptOf("wrong")("today"),
    runKept(["today"], { ...settings, KEPT_TOKEN: token, KEPT_URL: "http://127.0.0.1:700" }),
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

describe("kept list", () => {
  test("has filters, which the service checks", async () => {
    const { id: category_id } = await make("/categories", { name: "Büro" });
    await make("/todos", { title: "Report", category_id, due_date: "2099-01-01" });
    await make("/todos", { title: "Walk", context: "outside" });
    await make("/habits", { name: "Read", type: "good", frequency: "weekly", time_of_day: "evening" });
    expect((await kept("list", "--category", "buro")).out).toMatch(/^\[ \] t\d+ +Report .*#Büro\)$/);
    expect((await kept("list", "--due", "none", "--json")).out).toContain('"title":"Walk"');
    expect((await kept("list", "habits", "--frequency", "weekly")).out).toContain("Read");
    expect((await kept("list", "habits", "--time-of-day", "morning")).out).toBe("");
    expect((await kept("list", "categories")).out).toBe(`c${category_id} #Büro`);
    for (const words of [["--due", "someday"], ["habits", "--reminder"], ["--category", "none"], ["things"]])
      expect(await kept("list", ...words)).toMatchObject({
        exitCode: 1,
        errors: expect.stringMatching(/^kept: /),
      });
  });

  test("lists everything, however many pages it has", async () => {
    const operations = Array.from({ length: 50 }, (_, n) => create(`Todo ${n}`));
    for (let group = 0; group < 3; group++) await make("/batch", { operations });
    expect((await kept("list")).out.split("\n")).toHaveLength(150);
  });
});

test("kept search finds completed todos too, and says when there is nothing", async () => {
  const { id } = await make("/todos", { title: "Buy milk" });
  await make(`/todos/${id}/toggle`, {});
  await make("/habits", { name: "Drink milk", type: "good", frequency: "daily" });
  expect((await kept("search", "milk")).out.split("\n")).toEqual([
    expect.stringMatching(/^\[x\] t\d+ +Buy milk/),
    expect.stringMatching(/^\[ \] h\d+ +Drink milk/),
  ]);
  expect(await kept("search", "beer")).toMatchObject({
    exitCode: 1,
    errors: "kept: Nothing has “beer” in it.",
  });
});

describe("kept edit", () => {
  test("changes the named fields, and undo brings all of them back with what followed from them", async () => {
    await make("/categories", { name: "Home" });
    const body = { title: "Pay rent", due_date: "2099-01-01", due_time: "09:00", estimated_minutes: 5 };
    const { id } = await make("/todos", body);
    const remind_at = "2099-01-01T08:00:00Z";
    await rest("PUT", `/todos/${id}/reminder`, { token, body: { remind_at } });
    const before = await todo(id);
    const fields = wordsIn("title=7 due_date=2099-02-03 estimated_minutes= category=home is_important=true");
    expect((await kept("edit", "pay", "rent", ...fields)).errors).toBe("");
    expect(await todo(id)).toMatchObject({
      title: "7",
      due_date: "2099-02-03",
      estimated_minutes: null,
      is_important: true,
      category: { name: "Home" },
      reminder: { remind_at: expect.stringMatching(/^2099-02-03T08/) },
    });
    expect((await kept("undo")).out).toBe("“Pay rent” is as it was before.");
    expect(await todo(id)).toEqual({ ...before, updated_at: expect.any(String) });
  });

  test("of a habit is undone too, and words without a field are no command", async () => {
    const { id } = await make("/habits", { name: "Read", type: "good", frequency: "daily" });
    await kept("edit", `h${id}`, 'schedule={"every_days":2}', "frequency=custom", "target=8", "unit=pages");
    const habit = async () => (await rest("GET", `/habits/${id}`, { token })).body;
    expect(await habit()).toMatchObject({ schedule: { every_days: 2 }, target: 8, unit: "pages" });
    expect(await kept("undo")).toMatchObject({ exitCode: 0, errors: "" });
    expect(await habit()).toMatchObject({ schedule: null, frequency: "daily", target: null, unit: null });
    expect(await kept("edit", "read", "slowly")).toMatchObject({ exitCode: 1 });
    expect(await kept("edit", `h${id}`, "title=No")).toMatchObject({ exitCode: 1 });
  });

  test("after its reminder rang is undone as far as it can be, and undo says what is not", async () => {
    const today = new Date().toISOString().slice(0, 10);
    const { id } = await make("/todos", { title: "Call", due_date: today });
    const remind_at = new Date(Date.now() + 1_500).toISOString();
    await rest("PUT", `/todos/${id}/reminder`, { token, body: { remind_at } });
    await eventually(async () => (await todo(id)).reminder.status === "unsent" || undefined);
    await kept("edit", `t${id}`, "due_date=2099-01-01");
    expect((await todo(id)).reminder.status).toBe("scheduled");
    expect((await kept("undo")).out).toBe(
      `“Call” is as it was before. These are not: reminder. See the page ${page}`,
    );
    expect(await todo(id)).toMatchObject({ due_date: today, reminder: { status: "missed" } });
  });
});

describe("kept snooze", () => {
  test("moves a todo to a day in words with its reminder, keeps its time, and is undone", async () => {
    const { id } = await make("/todos", { title: "Water plants", due_date: "2099-01-01", due_time: "10:00" });
    const before = await todo(id);
    expect((await kept("snooze", "water plants", "2099-01-05")).errors).toBe("");
    expect(await todo(id)).toMatchObject({ due_date: "2099-01-05", due_time: "10:00" });
    await kept("undo");
    expect(await todo(id)).toEqual({ ...before, updated_at: expect.any(String) });
    await kept("snooze", `t${id}`, "next", "friday", "at", "9");
    expect(await todo(id)).toMatchObject({ due_time: "09:00" });
  });

  test("of a habit, or until no day, is refused and changes nothing", async () => {
    const { id } = await make("/todos", { title: "Water plants" });
    const before = await todo(id);
    await make("/habits", { name: "Read", type: "good", frequency: "daily" });
    for (const words of [
      ["read", "tomorrow"],
      [`t${id}`, "whenever"],
      [`t${id}`, "every", "friday"],
    ])
      expect(await kept("snooze", ...words)).toMatchObject({ exitCode: 1, out: "" });
    expect(await todo(id)).toEqual(before);
  });
});

describe("kept delete", () => {
  test("asks first, and without a yes deletes nothing", async () => {
    const { id } = await make("/todos", { title: "Old" });
    for (const input of ["", "n\n", "\n"])
      expect(await keptWith(input, "delete", "old")).toMatchObject({
        exitCode: 1,
        errors: expect.stringContaining("Delete it? [y/N]"),
      });
    expect(await todo(id)).toMatchObject({ title: "Old" });
    expect((await keptWith("y\n", "delete", "old")).out).toBe(
      `Deleted “Old”. To restore it, open the page ${page}`,
    );
    expect((await rest("GET", `/todos/${id}`, { token })).status).toBe(404);
  });

  test("cannot be undone by a token, and undo says where it can be", async () => {
    await make("/habits", { name: "Old", type: "good", frequency: "daily" });
    expect((await kept("delete", "--yes", "old")).errors).toBe("");
    expect(await kept("undo")).toMatchObject({
      exitCode: 1,
      errors: `kept: A token cannot bring back what is deleted; undo it yourself on the page ${page}`,
    });
  });
});

describe("the declarations of the commands", () => {
  test("are the table of docs/client.md, and usage names every command and option", async () => {
    expect(await Bun.file(join(root, "docs/client.md")).text()).toContain(`\n${commandTable()}\n`);
    const { out } = await kept("--help");
    expect(out).toBe(usage());
    for (const { name, options } of keptCommands)
      for (const word of [`kept ${name}`, ...Object.keys(options).map((option) => `--${option}`)])
        expect(out).toContain(word);
  });

  test("give the version of the package", async () => {
    const { version } = await Bun.file(join(root, "package.json")).json();
    expect((await kept("--version")).out).toBe(version);
  });
});

describe("completions", () => {
  const names = keptCommands.map(({ name }) => name);
  const statuses = ["all", "completed", "incomplete"];

  /** The words that a shell offers after a line, asked by a script of that shell. */
  async function offered(shell: string, script: string): Promise<string[]> {
    const running = Bun.spawn([shell, ...(shell === "zsh" ? ["-f"] : []), "-c", script], { stderr: "pipe" });
    const [out, errors] = await Promise.all([running.stdout.text(), running.stderr.text()]);
    expect(errors).toBe("");
    return out
      .split("\n")
      .map((line) => line.split("\t")[0]?.trim() ?? "")
      .filter(Boolean);
  }

  const script = (shell: string): string => completionScripts[shell]?.() ?? "";

  const shells: Readonly<Record<string, (line: string) => string>> = {
    bash: (line) => `${script("bash")}
      COMP_WORDS=(${line.replace(/ $/, " ''")}); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
      _kept; printf '%s\\n' "\${COMPREPLY[@]}"`,
    zsh: (line) => `compdef() { :; }; compadd() { shift; print -l -- "$@"; }
      ${script("zsh")}
      words=(${line.replace(/ $/, " ''")}); CURRENT=\${#words}; _kept`,
    fish: (line) => `${script("fish")}
      complete -C '${line}'`,
  };

  for (const [shell, ask] of Object.entries(shells)) {
    const isThere = Bun.which(shell) !== null;
    if (!isThere) console.log(`SKIPPED: completions of ${shell}: there is no ${shell}.`);
    test.skipIf(!isThere)(
      `of ${shell} offer commands, then the choices and options of a command`,
      async () => {
        expect((await offered(shell, ask("kept "))).toSorted()).toEqual(names.toSorted());
        expect(await offered(shell, ask("kept list "))).toContain("habits");
        expect((await offered(shell, ask("kept list --status "))).toSorted()).toEqual(statuses);
        expect(await offered(shell, ask("kept delete --"))).toContain("--yes");
      },
    );
  }

  test("of another shell are refused", async () => {
    expect(await kept("completions", "tcsh")).toMatchObject({ exitCode: 1, out: "" });
  });
});
