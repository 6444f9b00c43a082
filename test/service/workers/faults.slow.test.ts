import { afterAll, afterEach, describe, expect, spyOn, test } from "bun:test";
import { todoCreate } from "../../../workers/handlers/todo/todo.ts";
import * as loading from "../../../workers/unit-of-work/state.ts";
import * as saving from "../../../workers/unit-of-work/state.ts";
import { entriesOf } from "../../../workers/unit-of-work/state.ts";
import { type Answer, useStack } from "../../harness.ts";
import { create, groupSender, statuses } from "../../support/groups.ts";
import { agent } from "../../support/mcp.ts";
import { creationOf, openOwnMailbox, outcomesOf } from "../../support/signed.ts";
import { holdingTodo, storeTodos } from "../../support/todos.ts";

const stack = await useStack();
const { config, rest, sql } = stack;
const mailbox = await openOwnMailbox(config);
afterAll(() => mailbox.close());

const { rows, run } = todoCreate;
const { load } = loading;
const { save } = saving;
const cleaning: (() => unknown)[] = [];
afterEach(async () => {
  for (const clean of cleaning.splice(0)) await clean();
});
const spied = (spy: { mockRestore(): void }) => cleaning.push(() => spy.mockRestore());

function throwIf(fault: unknown): void {
  if (fault) throw fault;
}

/** The handler throws what this gives for a title. */
const runThrows = (faultOf: (title: string) => unknown) =>
  spied(
    spyOn(todoCreate, "run").mockImplementation((context, input) => {
      throwIf(faultOf(input.title));
      return run(context, input);
    }),
  );

/** PostgreSQL refuses todos whose title begins like this. */
async function refuseTitles(beginning: string): Promise<void> {
  cleaning.push(() => sql.unsafe("drop trigger if exists refuse on todos; drop function if exists refuse"));
  await sql.unsafe(`
    create function refuse() returns trigger language plpgsql as $$
    begin if new.title like '${beginning}%' then raise exception 'refused'; end if; return new; end $$;
    create trigger refuse before insert on todos for each row execute function refuse()`);
}

describe("spoils its own command of a batch only:", () => {
  const thrown = new Map<string, unknown>([
    ["3", new Error("a fault")],
    ["8", new SyntaxError("a fault of JSON.parse")],
    ["15", "a string"],
  ]);
  const thrownFor = (title: string) => thrown.get(title.split(" ").at(-1) ?? "");

  const faults: readonly [string, () => unknown][] = [
    ["a handler that throws an Error, a SyntaxError or a string", () => runThrows(thrownFor)],
    [
      "a handler that throws when it is asked which rows it needs",
      () =>
        spied(
          spyOn(todoCreate as Required<typeof todoCreate>, "rows").mockImplementation((input, acceptedAt) => {
            throwIf(thrownFor(input.title));
            return rows?.(input, acceptedAt) ?? [];
          }),
        ),
    ],
    [
      "a fault between handlers and database, which is no outage",
      () =>
        spied(
          spyOn(saving, "save").mockImplementation((connection, state) => {
            for (const { row } of entriesOf(state, "todos").values()) throwIf(row && thrownFor(row.title));
            return save(connection, state);
          }),
        ),
    ],
    ["what PostgreSQL refuses", () => refuseTitles("spoilt")],
  ];

  test.each(faults)("%s", async (name, begin) => {
    await begin();
    const isSpoilt = (index: number) => thrown.has(String(index));
    const titles = Array.from(
      { length: 20 },
      (_, index) => `${isSpoilt(index) ? "spoilt" : "good"} ${name} ${index}`,
    );
    const outcomes = await outcomesOf(mailbox, titles.map(creationOf));
    for (const [index, outcome] of outcomes.entries())
      expect(outcome).toMatchObject(
        isSpoilt(index)
          ? { refusal: { code: "internal", applied: "no" } }
          : { body: { title: titles[index] } },
      );
    const stored = await sql`select title from todos where title in ${sql(titles)}`;
    expect(stored.map(({ title }: { title: string }) => title).toSorted()).toEqual(
      titles.filter((_, index) => !isSpoilt(index)).toSorted(),
    );
  });

  test("a stored reply that cannot be read", async () => {
    const commands = Array.from({ length: 20 }, (_, index) => ({
      ...creationOf(`reply ${index}`),
      fingerprint: "sent before",
    }));
    const { userId = "", id = "" } = commands[7] ?? {};
    await sql`insert into inbox (user_id, command_id, fingerprint, reply, keyed, created_at)
      values (${userId}, ${id}, 'sent before', '{', true, now())`;
    const outcomes = await outcomesOf(mailbox, commands);
    for (const [index, outcome] of outcomes.entries())
      expect(outcome).toMatchObject(index === 7 ? { refusal: { code: "internal" } } : { body: {} });
  });
});

describe("a group", () => {
  const mixed = [
    create("good"),
    create("bad"),
    { method: "POST", path: "/todos/$1.id/toggle" },
    { method: "PATCH", path: "/todos/$0.id", body: { title: "better" } },
    create("last"),
  ];

  test.each<[string, () => unknown]>([
    ["a handler that throws", () => runThrows((title) => title === "bad" && "a fault")],
    ["an operation that PostgreSQL refuses", () => refuseTitles("bad")],
  ])("with %s loses that operation and those that need it, or all if atomic", async (_, begin) => {
    const [ada, bob] = [await groupSender(stack), await groupSender(stack)];
    await begin();
    expect(statuses(await ada.group(mixed))).toEqual([201, 500, 424, 200, 201]);
    expect(await ada.titles()).toEqual(["better", "last"]);
    expect(new Set(statuses(await bob.group(mixed, { atomic: true })))).toEqual(new Set([500]));
    expect(await bob.titles()).toEqual([]);
  });

  test("waits whole for a row that somebody holds, and nobody waits for it", async () => {
    const [ada, bystander] = [await groupSender(stack), await groupSender(stack)];
    const { id } = (await ada.rest("POST", "/todos", { title: "held" })).body;
    const toggle = { method: "POST", path: `/todos/${id}/toggle` };
    let isAnswered = false;
    let answering: Promise<Answer> | undefined;
    await holdingTodo(sql, id, async () => {
      answering = ada.group([create("before"), toggle, create("after")]).finally(() => {
        isAnswered = true;
      });
      await Bun.sleep(300);
      expect([isAnswered, statuses(await bystander.group([create("free")]))]).toEqual([false, [201]]);
      expect(await ada.titles()).toEqual(["held"]);
    });
    expect(answering && statuses(await answering)).toEqual([201, 200, 201]);
  });

  test("on a row that stays held is refused as a whole, and nothing of it happens later", async () => {
    const ada = await groupSender(stack);
    const { id } = (await ada.rest("POST", "/todos", { title: "held" })).body;
    const operations = [
      create(""),
      create("never"),
      { method: "POST", path: `/todos/${id}/toggle` },
      { method: "PATCH", path: "/todos/$1.id", body: { title: "neither" } },
      { method: "DELETE", path: "/todos/$0.id" },
    ];
    await holdingTodo(sql, id, async () => {
      const { status, headers, body } = await ada.group(operations);
      const told = [status, headers.get("retry-after"), body.code, body.applied];
      expect(told).toEqual([503, "1", "overloaded", "no"]);
    });
    // A command of the same user comes after whatever is still on its way.
    await ada.rest("POST", "/todos", { title: "later" });
    expect(await ada.titles()).toEqual(["held", "later"]);
  });

  test("keeps to the quota within itself, and makes nothing beyond it if atomic", async () => {
    const ada = await groupSender(stack);
    await storeTodos(config.databaseUrl, ada.sub, 49_998);
    const three = [create("a"), create("b"), create("c")];
    for (let tries = 0; tries < 4; tries++)
      expect(statuses(await ada.group(three, { atomic: true }))).toEqual([424, 424, 422]);
    expect(statuses(await ada.group(three))).toEqual([201, 201, 422]);
  });
});

test.each([
  ["deleted", (id: number) => sql`delete from categories where id = ${id}`],
  ["renamed", (id: number) => sql`update categories set name = 'Away' where id = ${id}`],
] as const)(
  "a category that is %s between being found by its name and being locked is unknown",
  async (_, meanwhile) => {
    const { call, token } = await agent(stack, { sub: crypto.randomUUID() });
    const { body } = await rest("POST", "/categories", { token, body: { name: "Home" } });
    let searches = 0;
    spied(
      spyOn(loading, "load").mockImplementation(async (...args) => {
        const skipped = await load(...args);
        if (args[2].some(({ table, key }) => table === "categories" && key === undefined)) {
          searches += 1;
          await meanwhile(body.id);
        }
        return skipped;
      }),
    );
    const { facts, text } = await call("create-todo", { title: "x", category: "home" });
    expect(facts).toMatchObject({ code: "invalid", errors: { category: [expect.any(String)] } });
    expect(text).not.toContain('"Home"');
    expect(searches).toBe(1);
  },
);
