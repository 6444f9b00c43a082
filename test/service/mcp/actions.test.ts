import { beforeAll, describe, expect, test } from "bun:test";
import { stripVTControlCharacters } from "node:util";
import { type ActionFilters, readReadCounts } from "../../../api/queries/action/read.ts";
import { createQueryContext, openQueryDatabase } from "../../../api/queries/engine/context.ts";
import { read } from "../../../api/queries/index.ts";
import type { InputOf, OutputOf, Queries } from "../../../shared/contracts/catalogue.ts";
import { useStack } from "../../harness.ts";
import { commandBlocks, commandLines } from "../../support/documented.ts";
import { agent, newcomer } from "../../support/mcp.ts";
import { eventually } from "../../support/reminder/stack.ts";

const stack = await useStack();
const { config } = stack;
const { database } = await stack.page();

type Actions = OutputOf<Queries["action.list"]>;
type Filters = InputOf<Queries["action.list"]>;

const reader = (userId: string) =>
  createQueryContext({
    ...{ db: openQueryDatabase(database), userId, now: Date.now(), defaultTimeZone: "UTC" },
    baseUrl: config.baseUrl,
  });
const list = (userId: string, input: Filters = {}) =>
  read("action.list", reader(userId), input) as Promise<Actions>;
const toolsOf = ({ actions }: Actions) => actions.map(({ tool }) => tool);

// The list of users has the first fifty.
const [first, second] = ["ada", "bob"].map((name) => `00000000-${name}-${crypto.randomUUID()}`);
const ada = await newcomer(stack, { sub: first, jti: "phone", client_name: "Phone" });
const laptop = await agent(stack, { sub: ada.sub, jti: "laptop", client_name: "Laptop" });
const bob = await newcomer(stack, { sub: second });
await ada.call("create-todo", { title: "one" });
const between = new Date().toISOString();
await eventually(() => Date.now() > Date.parse(between));
await laptop.call("get-pending-todos");
await laptop.call("delete-todo", { todo_id: 999_999 });
await bob.call("get-today-habits");

describe("the query of the action log", () => {
  test("gives a user's own calls, newest first, narrowed to a token, a tool, an outcome or a time", async () => {
    for (const [filters, tools] of [
      [{}, ["delete-todo", "get-pending-todos", "create-todo"]],
      [{ token_id: "phone" }, ["create-todo"]],
      [{ tool: "get-pending-todos" }, ["get-pending-todos"]],
      [{ outcome: "not_found" }, ["delete-todo"]],
      [{ to: between }, ["create-todo"]],
      [{ from: between }, ["delete-todo", "get-pending-todos"]],
    ] as const)
      expect([filters, toolsOf(await list(ada.sub, filters))]).toEqual([filters, [...tools]]);
    expect(toolsOf(await list(bob.sub))).toEqual(["get-today-habits"]);
  });

  test("pages by cursor without repeating or skipping a call", async () => {
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page: Actions = await list(ada.sub, { limit: 1, ...(cursor !== null && { cursor }) });
      seen.push(...toolsOf(page));
      cursor = page.next_cursor;
    } while (cursor !== null);
    expect(seen).toEqual(["delete-todo", "get-pending-todos", "create-todo"]);
  });

  test("names the tokens seen, the last used first", async () => {
    const found = (await read("action.tokens", reader(ada.sub), {})) as OutputOf<Queries["action.tokens"]>;
    const tokens = found.tokens.map(({ token_id, client_name }) => [token_id, client_name]);
    expect(tokens).toEqual([
      ["laptop", "Laptop"],
      ["phone", "Phone"],
    ]);
  });

  describe("of what was done on both doors", () => {
    const finn = newcomer(stack, { jti: "finn", client_name: "Finn" });
    const found = async (input: Filters) => toolsOf(await list((await finn).sub, input)).toReversed();

    beforeAll(async () => {
      const { call, rest } = await finn;
      await call("create-todo", { title: "Zahnärztin anrufen", context: "phone" });
      await call("get-pending-todos", { query: "dentist" });
      await call("get-pending-todos");
      await call("get-today-habits");
      await call("delete-todo", { todo_id: 999_999 });
      const { body } = await rest("POST", "/habits", { name: 'Run "far"', type: "good", frequency: "daily" });
      await rest("DELETE", `/habits/${body.id}`);
    });

    test.each<[Filters, string[]]>([
      [{ kinds: ["change"] }, ["create-todo", "habit.create", "habit.delete"]],
      [{ kinds: ["refusal"] }, ["delete-todo"]],
      [{ kinds: ["read"], tool: "get-today-habits" }, ["get-today-habits"]],
      [{ kinds: ["change", "refusal"], door: "mcp" }, ["create-todo", "delete-todo"]],
      [{ door: "rest" }, ["habit.create", "habit.delete"]],
      // Words are found in names, values, arguments and refusals, whatever their case and accents.
      [{ q: "zahnarztin" }, ["create-todo"]],
      [{ q: "RUN" }, ["habit.create", "habit.delete"]],
      [{ q: "far" }, ["habit.create", "habit.delete"]],
      [{ q: "dentist" }, ["get-pending-todos"]],
      [{ q: "todo not found" }, ["delete-todo"]],
      [{ q: "ph.ne" }, []],
      // The name of a field is no text of anybody.
      ...["title", "is_completed", "context", "habits/"].map((q): [Filters, string[]] => [{ q }, []]),
    ])("%j finds %j", async (filters, tools) => expect(await found(filters)).toEqual(tools));

    test("quotation marks and backslashes are found in texts, and are no marks of the JSON around them", async () => {
      const { call, sub } = await newcomer(stack);
      await call("create-todo", { title: "one", description: 'Ask for "the key" of C:\\temp' });
      await call("create-todo", { title: "two", description: "Ask for the key" });
      const titles = async (q: string) =>
        (await list(sub, { q })).actions.map(({ resource_name }) => resource_name);
      for (const q of ['"the key"', "C:\\temp", '"', "\\", '" of c:\\T'])
        expect([q, await titles(q)]).toEqual([q, ["one"]]);
      expect(await titles("the key")).toEqual(["two", "one"]);
      expect(await titles('key",')).toEqual([]);
    });

    test("reads are counted by token and tool, as far as the page goes", async () => {
      const { sub } = await finn;
      const counted = async (filters: ActionFilters, next: string | null = null) =>
        (await readReadCounts(reader(sub), filters, next)).map(({ tool, reads, client_name }) =>
          [tool, reads, client_name].join(" "),
        );
      expect((await counted({})).toSorted()).toEqual(["get-pending-todos 2 Finn", "get-today-habits 1 Finn"]);
      expect(await counted({ q: "dentist" })).toEqual(["get-pending-todos 1 Finn"]);
      expect(await counted({ outcome: "not_found" })).toEqual([]);
      const { next_cursor } = await list(sub, { kinds: ["change"], limit: 2 });
      expect(await counted({}, next_cursor)).toEqual([]);
    });
  });

  test("a search among long texts ends its page earlier, and goes on from there", async () => {
    const grace = crypto.randomUUID();
    await database.pool.query(
      `insert into action_log (user_id, request_id, token_id, tool, arguments, outcome, replayed, calls, called_at, duration_ms)
       select $1, gen_random_uuid(), 't', 'create-todo', format('{"title":"%s%s"}', repeat('long ', 800), n), 'ok', false, 1,
         now() - n * interval '1 second', 1 from generate_series(1, 3000) n`,
      [grace],
    );
    const first = await list(grace, { q: "long 2500" });
    expect(first.actions).toEqual([]);
    const cursor = first.next_cursor ?? "";
    expect(toolsOf(await list(grace, { q: "long 2500", cursor }))).toEqual(["create-todo"]);
    expect(toolsOf(await list(grace, { q: "long 15" })).length).toBeGreaterThan(1);
    expect((await list(grace, { tool: "delete-todo" })).next_cursor).toBeNull();
  });
});

describe("npm run admin -- actions", () => {
  const env = { ...process.env, DATABASE_URL: config.databaseUrl, NO_COLOR: "1" };
  const start = (...args: string[]) =>
    Bun.spawn([process.execPath, "api/cli/actions.ts", ...args], { env, stdout: "pipe", stderr: "pipe" });
  async function printed(...args: string[]): Promise<string> {
    const run = start(...args);
    const text = await new Response(run.stdout).text();
    expect(await run.exited).toBe(0);
    return stripVTControlCharacters(text).trimEnd();
  }

  test("prints the calls of a user as they were made, one line each", async () => {
    const lines = (await printed("--subject", ada.sub, "--token", "laptop")).split("\n");
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatch(
      /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}Laptop laptop +mcp {2}get-pending-todos +ok {2}\{\} {2}\d+ ms$/,
    );
    expect(lines[1]).toContain(`delete-todo       not_found  todo 999999  {"todo_id":999999}`);
  });

  test("tells what changed, by which door and to what", async () => {
    const { call, rest, sub } = await newcomer(stack, { jti: "dora", client_name: "Dora" });
    const { id } = (await call("create-todo", { title: "Pay rent" })).facts.todo;
    await rest("PATCH", `/todos/${id}`, { context: "[2J" });
    await rest("PATCH", `/todos/${id}`, { title: "Pay rent" });
    const lines = (await printed("--subject", sub, "--door", "rest")).split("\n");
    expect(lines.map((line) => line.slice(19).replace(/ {2}\d+ ms$/, ""))).toEqual([
      "  Dora dora            rest todo.update       ok  Changed the todo “Pay rent”: context none → “[2J”",
      `  Dora dora            rest todo.update       ok  todo ${id}`,
    ]);
    const found = await printed("--subject", sub, "--search", "RENT", "--door", "mcp");
    expect(found).toContain(`Created the todo “Pay rent”  {"title":"Pay rent"}`);
  });

  test("--follow goes on with every further call, as docs/mcp.md has it", async () => {
    const [, follow = ""] = (await commandBlocks("docs/mcp.md")).flatMap(commandLines);
    const [, given = ""] = follow.split(" -- actions ");
    expect(given).toContain("--subject");
    const { call, sub } = await newcomer(stack);
    const run = start(...given.replace("ada@example.org", sub).split(" "));
    await call("create-todo", { title: "first" });
    const chunks = run.stdout.pipeThrough(new TextDecoderStream())[Symbol.asyncIterator]();
    let text = "";
    const readTo = async (wanted: string) => {
      while (!text.includes(wanted)) {
        const { value, done } = await chunks.next();
        if (done) throw new Error(`It ended before ${wanted}: ${text}`);
        text += value;
      }
    };
    await readTo(`{"title":"first"}`);
    await call("create-todo", { title: "second" });
    await readTo(`{"title":"second"}`);
    run.kill();
    await run.exited;
    expect(text.match(/“first”/g)).toHaveLength(1);
  });

  test("without a subject it says how it is used and whose calls there are, also by e-mail address", async () => {
    const email = `${bob.sub}@example.org`;
    const account = "insert into identity.accounts (id, email, password_hash) values ($1, $2, '')";
    await database.pool.query(account, [bob.sub, email]);
    const text = await printed();
    expect(text).toContain("npm run admin -- actions --subject WHO");
    expect(text.split("\n")).toEqual(expect.arrayContaining([`  ${ada.sub}`, `  ${bob.sub}  ${email}`]));
    expect(await printed("--subject", ` ${email.toUpperCase()}`)).toContain("get-today-habits");
    await database.pool.query("delete from identity.accounts where id = $1", [bob.sub]);
  });

  test("a filter that cannot be is refused in one line", async () => {
    const run = start("--subject", ada.sub, "--limit", "many");
    const sentence = "The limit field must be a whole number from 1 to 200.\n";
    expect(await new Response(run.stderr).text()).toBe(sentence);
    expect(await run.exited).toBe(1);
  });
});
