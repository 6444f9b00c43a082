import { afterAll, describe, expect, test } from "bun:test";
import { stripVTControlCharacters } from "node:util";
import type { ActionFilters } from "../../../api/queries/action/filters.ts";
import { readReadCounts } from "../../../api/queries/action/reads.ts";
import { createQueryContext } from "../../../api/queries/engine/context.ts";
import { openQueryDatabase } from "../../../api/queries/engine/guard.ts";
import { read } from "../../../api/queries/index.ts";
import type { InputOf, OutputOf, Queries } from "../../../shared/contracts/catalogue.ts";
import { openDatabase } from "../../../shared/db/orm.ts";
import { createLog } from "../../../shared/process/observe/log.ts";
import { useStack } from "../../harness.ts";
import { commandBlocks, commandLines } from "../../support/documented.ts";
import { agent } from "../../support/mcp.ts";

// Registered before the stack's own, so that it runs first: the stack counts connections.
afterAll(() => database.close());
const stack = await useStack();
const { config } = stack;
const database = await openDatabase({
  url: config.databaseUrl,
  log: createLog("test", "error"),
  connections: 1,
});

type Actions = OutputOf<Queries["action.list"]>;

const reader = (userId: string) =>
  createQueryContext({
    db: openQueryDatabase(database),
    userId,
    now: Date.now(),
    defaultTimeZone: "UTC",
    baseUrl: config.baseUrl,
  });
const list = (input: InputOf<Queries["action.list"]> = {}, userId = "ada") =>
  read("action.list", reader(userId), input) as Promise<Actions>;
const toolsOf = ({ actions }: Actions) => actions.map(({ tool }) => tool);

const phone = await agent(stack, { sub: "ada", jti: "phone", client_name: "Phone" });
const laptop = await agent(stack, { sub: "ada", jti: "laptop", client_name: "Laptop" });
await phone.call("create-todo", { title: "one" });
const between = new Date().toISOString();
await Bun.sleep(2);
await laptop.call("get-pending-todos");
await laptop.call("delete-todo", { todo_id: 999_999 });
await (await agent(stack, { sub: "bob" })).call("get-today-habits");

describe("the query of the action log", () => {
  test("gives a user's own calls, newest first", async () => {
    expect(toolsOf(await list())).toEqual(["delete-todo", "get-pending-todos", "create-todo"]);
    expect(toolsOf(await list({}, "bob"))).toEqual(["get-today-habits"]);
  });

  test("can be narrowed to a token, a tool, an outcome and a time", async () => {
    expect(toolsOf(await list({ token_id: "phone" }))).toEqual(["create-todo"]);
    expect(toolsOf(await list({ tool: "get-pending-todos" }))).toEqual(["get-pending-todos"]);
    expect(toolsOf(await list({ outcome: "not_found" }))).toEqual(["delete-todo"]);
    expect(toolsOf(await list({ to: between }))).toEqual(["create-todo"]);
    expect(toolsOf(await list({ from: between }))).toEqual(["delete-todo", "get-pending-todos"]);
  });

  test("pages by cursor without repeating or skipping a call", async () => {
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page: Actions = await list({ limit: 1, ...(cursor !== null && { cursor }) });
      seen.push(...toolsOf(page));
      cursor = page.next_cursor;
    } while (cursor !== null);
    expect(seen).toEqual(["delete-todo", "get-pending-todos", "create-todo"]);
  });

  test("names the tokens seen, the last used first", async () => {
    const { tokens } = (await read("action.tokens", reader("ada"), {})) as OutputOf<Queries["action.tokens"]>;
    expect(tokens.map(({ token_id, client_name }) => [token_id, client_name])).toEqual([
      ["laptop", "Laptop"],
      ["phone", "Phone"],
    ]);
  });

  describe("of what was done on both doors", () => {
    const finn = async () => {
      const caller = await agent(stack, { sub: "finn", jti: "finn", client_name: "Finn" });
      const { token } = caller;
      await caller.call("create-todo", { title: "Zahnärztin anrufen", context: "phone" });
      await caller.call("get-pending-todos", { query: "dentist" });
      await caller.call("get-pending-todos");
      await caller.call("get-today-habits");
      await caller.call("delete-todo", { todo_id: 999_999 });
      const { body } = await stack.rest("POST", "/habits", {
        token,
        body: { name: 'Run "far"', type: "good", frequency: "daily" },
      });
      await stack.rest("DELETE", `/habits/${body.id}`, { token });
    };
    const found = async (input: InputOf<Queries["action.list"]>) =>
      toolsOf(await list(input, "finn")).toReversed();
    const all = finn();

    test("changes, refusals and reads can be told apart", async () => {
      await all;
      expect(await found({ kinds: ["change"] })).toEqual(["create-todo", "habit.create", "habit.delete"]);
      expect(await found({ kinds: ["refusal"] })).toEqual(["delete-todo"]);
      expect(await found({ kinds: ["read"], tool: "get-today-habits" })).toEqual(["get-today-habits"]);
      expect(await found({ kinds: ["change", "refusal"], door: "mcp" })).toEqual([
        "create-todo",
        "delete-todo",
      ]);
      expect(await found({ door: "rest" })).toEqual(["habit.create", "habit.delete"]);
    });

    test("a word is found in names, values, arguments and refusals, whatever its case and accents", async () => {
      await all;
      expect(await found({ q: "zahnarztin" })).toEqual(["create-todo"]);
      expect(await found({ q: "RUN" })).toEqual(["habit.create", "habit.delete"]);
      expect(await found({ q: "far" })).toEqual(["habit.create", "habit.delete"]);
      expect(await found({ q: "dentist" })).toEqual(["get-pending-todos"]);
      expect(await found({ q: "todo not found" })).toEqual(["delete-todo"]);
      expect(await found({ q: "ph.ne" })).toEqual([]);
    });

    test("quotation marks and backslashes are found in texts, and are no marks of the JSON around them", async () => {
      const call = await agent(stack, { sub: "hugo" });
      await call.call("create-todo", { title: "one", description: 'Ask for "the key" of C:\\temp' });
      await call.call("create-todo", { title: "two", description: "Ask for the key" });
      const titles = async (q: string) =>
        (await list({ q }, "hugo")).actions.map(({ resource_name }) => resource_name);
      for (const q of ['"the key"', "C:\\temp", '"', "\\", '" of c:\\T'])
        expect([q, await titles(q)]).toEqual([q, ["one"]]);
      expect(await titles("the key")).toEqual(["two", "one"]);
      expect(await titles('key",')).toEqual([]);
    });

    test("the name of a field is no text of anybody", async () => {
      await all;
      for (const q of ["title", "is_completed", "context", "habits/"]) expect(await found({ q })).toEqual([]);
    });

    test("reads are counted by token and tool, as far as the page goes", async () => {
      await all;
      const counted = async (filters: ActionFilters, next: string | null = null) =>
        (await readReadCounts(reader("finn"), filters, next)).map(({ tool, reads, client_name }) =>
          [tool, reads, client_name].join(" "),
        );
      expect((await counted({})).toSorted()).toEqual(["get-pending-todos 2 Finn", "get-today-habits 1 Finn"]);
      expect(await counted({ q: "dentist" })).toEqual(["get-pending-todos 1 Finn"]);
      expect(await counted({ outcome: "not_found" })).toEqual([]);
      const { next_cursor } = await list({ kinds: ["change"], limit: 2 }, "finn");
      expect(await counted({}, next_cursor)).toEqual([]);
    });
  });

  test("a search among long texts ends its page earlier, and goes on from there", async () => {
    await database.pool.query(`
      insert into action_log (user_id, request_id, token_id, tool, arguments, outcome, replayed, calls, called_at, duration_ms)
      select 'grace', gen_random_uuid(), 't', 'create-todo', format('{"title":"%s%s"}', repeat('long ', 800), n), 'ok', false, 1,
        now() - n * interval '1 second', 1 from generate_series(1, 3000) n`);
    const first = await list({ q: "long 2500" }, "grace");
    expect(first.actions).toEqual([]);
    const cursor = first.next_cursor ?? "";
    expect(toolsOf(await list({ q: "long 2500", cursor }, "grace"))).toEqual(["create-todo"]);
    expect(toolsOf(await list({ q: "long 15" }, "grace")).length).toBeGreaterThan(1);
    expect((await list({ tool: "delete-todo" }, "grace")).next_cursor).toBeNull();
  });

  test("is no REST route and no tool", async () => {
    expect((await stack.rest("GET", "/actions")).status).toBe(404);
    expect((await phone.call("action.list")).answer.body.error.message).toContain("Unknown tool");
  });
});

describe("npm run admin -- actions", () => {
  const env = { ...process.env, DATABASE_URL: config.databaseUrl, NO_COLOR: "1" };
  const start = (...args: string[]) =>
    Bun.spawn([process.execPath, "api/cli/actions.ts", ...args], { env, stdout: "pipe", stderr: "pipe" });

  test("prints the calls of a user as they were made, one line each", async () => {
    const run = start("--subject", "ada", "--token", "laptop");
    const lines = stripVTControlCharacters(await new Response(run.stdout).text())
      .trimEnd()
      .split("\n");
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatch(
      /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d {2}Laptop laptop +mcp {2}get-pending-todos +ok {2}\{\} {2}\d+ ms$/,
    );
    expect(lines[1]).toContain(`delete-todo       not_found  todo 999999  {"todo_id":999999}`);
    expect(await run.exited).toBe(0);
  });

  test("tells what changed, by which door and to what", async () => {
    const caller = await agent(stack, { sub: "dora", jti: "dora", client_name: "Dora" });
    const { facts } = await caller.call("create-todo", { title: "Pay rent" });
    const path = `/todos/${facts.todo.id}`;
    await stack.rest("PATCH", path, { token: caller.token, body: { context: "[2J" } });
    await stack.rest("PATCH", path, { token: caller.token, body: { title: "Pay rent" } });
    const run = start("--subject", "dora", "--door", "rest");
    const lines = stripVTControlCharacters(await new Response(run.stdout).text())
      .trimEnd()
      .split("\n");
    expect(lines.map((line) => line.slice(19).replace(/ {2}\d+ ms$/, ""))).toEqual([
      "  Dora dora            rest todo.update       ok  Changed the todo “Pay rent”: context none → “[2J”",
      `  Dora dora            rest todo.update       ok  todo ${facts.todo.id}`,
    ]);
    const found = start("--subject", "dora", "--search", "RENT", "--door", "mcp");
    expect(await new Response(found.stdout).text()).toContain(
      `Created the todo “Pay rent”  {"title":"Pay rent"}`,
    );
  });

  test("--follow goes on with every further call, as docs/mcp.md has it", async () => {
    const [, follow = ""] = (await commandBlocks("docs/mcp.md")).flatMap(commandLines);
    const [, given = ""] = follow.split(" -- actions ");
    expect(given).toContain("--subject");
    const run = start(...given.replace("ada@example.org", "carol").split(" "));
    const carol = await agent(stack, { sub: "carol" });
    await carol.call("create-todo", { title: "first" });
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
    await carol.call("create-todo", { title: "second" });
    await readTo(`{"title":"second"}`);
    run.kill();
    await run.exited;
    expect(text.match(/“first”/g)).toHaveLength(1);
  });

  test("takes the e-mail address of an account for its user, and names it among the users", async () => {
    await database.pool.query(
      "insert into identity.accounts (id, email, password_hash) values ('bob', 'bob@example.org', '')",
    );
    const run = start("--subject", " Bob@Example.org");
    expect(await new Response(run.stdout).text()).toContain("get-today-habits");
    // The program of `npm run admin -- actions`.
    const users = start();
    expect(await new Response(users.stdout).text()).toMatch(/\n {2}ada\n {2}bob {2}bob@example\.org\n/);
    await database.pool.query("delete from identity.accounts");
  });

  test("without a subject it says how it is used and whose calls there are", async () => {
    const run = start();
    const text = await new Response(run.stdout).text();
    expect(text).toContain("npm run admin -- actions --subject WHO");
    expect(text).toMatch(/\n {2}ada\n {2}bob\n/);
  });

  test("a filter that cannot be is refused in one line", async () => {
    const run = start("--subject", "ada", "--limit", "many");
    expect(await new Response(run.stderr).text()).toBe(
      "The limit field must be a whole number from 1 to 200.\n",
    );
    expect(await run.exited).toBe(1);
  });
});
