import { afterEach, expect, spyOn, test } from "bun:test";
import { SQL } from "bun";
import { todoCreate } from "../../../workers/handlers/todo/create.ts";
import { type Answer, type JsonBody, useStack } from "../../harness.ts";

const { config, rest, issuer } = await useStack();
const connect = () => new SQL(config.databaseUrl, { max: 2 });
const { run } = todoCreate;
const spies: { mockRestore(): void }[] = [];
afterEach(() => {
  for (const spy of spies.splice(0)) spy.mockRestore();
});

const create = (title: string) => ({ method: "POST", path: "/todos", body: { title } });
const statuses = ({ body }: Answer): number[] => body.results.map(({ status }: JsonBody) => status);

async function group(sub: string, operations: readonly object[], more: object = {}): Promise<Answer> {
  return rest("POST", "/batch", { token: await issuer.token({ sub }), body: { operations, ...more } });
}

async function titlesOf(sub: string): Promise<string[]> {
  await using sql = connect();
  const rows: { title: string }[] = await sql`select title from todos where user_id = ${sub} order by id`;
  return rows.map(({ title }) => title);
}

const mixed = [
  create("good"),
  create("bad"),
  { method: "POST", path: "/todos/$1.id/toggle" },
  { method: "PATCH", path: "/todos/$0.id", body: { title: "better" } },
  create("last"),
];

test("a handler that throws spoils its own operation and those that need it, or all that are atomic", async () => {
  spies.push(
    spyOn(todoCreate, "run").mockImplementation((context, input) => {
      if (input.title === "bad") throw new Error("a fault");
      return run(context, input);
    }),
  );
  expect(statuses(await group("faulty", mixed))).toEqual([201, 500, 424, 200, 201]);
  expect(await titlesOf("faulty")).toEqual(["better", "last"]);
  expect(new Set(statuses(await group("faulty together", mixed, { atomic: true })))).toEqual(new Set([500]));
  expect(await titlesOf("faulty together")).toEqual([]);
});

test("so does an operation that PostgreSQL refuses", async () => {
  await using sql = connect();
  await sql.unsafe(`
    create function refuse_bad() returns trigger language plpgsql as $$
    begin
      if new.title = 'bad' then raise exception 'bad'; end if;
      return new;
    end $$`);
  await sql.unsafe("create trigger bad before insert on todos for each row execute function refuse_bad()");
  const answer = await group("refused", mixed);
  await sql.unsafe("drop trigger bad on todos");
  expect(statuses(answer)).toEqual([201, 500, 424, 200, 201]);
  expect(await titlesOf("refused")).toEqual(["better", "last"]);
});

test("operations wait for those before them that need a row which somebody holds", async () => {
  await using sql = connect();
  const token = await issuer.token({ sub: "held" });
  const { body: todo } = await rest("POST", "/todos", { token, body: { title: "held" } });
  let answered = false;
  const operations = [
    create("before"),
    { method: "POST", path: `/todos/${todo.id}/toggle` },
    create("after"),
  ];
  let answering: Promise<Answer> | undefined;
  await sql.begin(async (transaction) => {
    await transaction`select 1 from todos where id = ${todo.id} for update`;
    answering = group("held", operations).finally(() => {
      answered = true;
    });
    await Bun.sleep(300);
    const bystander = await group("bystander", [create("free")]);
    expect([answered, statuses(bystander)]).toEqual([false, [201]]);
    expect(await titlesOf("held")).toEqual(["held"]);
  });
  expect(answering && statuses(await answering)).toEqual([201, 200, 201]);
});

test("a group on a row that stays held is refused as a whole, and nothing of it happens later", async () => {
  await using sql = connect();
  const token = await issuer.token({ sub: "stays held" });
  const { body: todo } = await rest("POST", "/todos", { token, body: { title: "held" } });
  const operations = [
    create(""),
    create("never"),
    { method: "POST", path: `/todos/${todo.id}/toggle` },
    { method: "PATCH", path: "/todos/$1.id", body: { title: "neither" } },
    { method: "DELETE", path: "/todos/$0.id" },
  ];
  await sql.begin(async (transaction) => {
    await transaction`select 1 from todos where id = ${todo.id} for update`;
    const { status, headers, body } = await group("stays held", operations);
    expect([status, headers.get("retry-after"), body.code, body.applied]).toEqual([
      503,
      "1",
      "overloaded",
      "no",
    ]);
  });
  await Bun.sleep(200);
  expect(await titlesOf("stays held")).toEqual(["held"]);
});

test("the quota holds within a group, and an atomic one beyond it makes nothing", async () => {
  await using sql = connect();
  await sql`
    insert into todos (user_id, id, title, is_completed, recurrence_from, created_at, updated_at)
    select 'hoarder', 1000000 + n, 'Todo', false, 'due', now(), now() from generate_series(1, 49998) n`;
  const three = [create("a"), create("b"), create("c")];
  for (let tries = 0; tries < 4; tries++)
    expect(statuses(await group("hoarder", three, { atomic: true }))).toEqual([424, 424, 422]);
  expect(statuses(await group("hoarder", three))).toEqual([201, 201, 422]);
});

test("groups of the costliest changes leave those of others in time", async () => {
  await using sql = connect();
  const token = await issuer.token({ sub: "costly" });
  const made = await group(
    "costly",
    Array.from({ length: 50 }, () => ({ method: "POST", path: "/categories", body: { name: "c" } })),
  );
  const ids: number[] = made.body.results.map(({ body }: JsonBody) => body.id);
  await sql`
    insert into todos (user_id, id, title, category_id, is_completed, recurrence_from, created_at, updated_at)
    select 'costly', 2000000 + n, 'Todo', ${ids[0]}::int + n % 50, false, 'due', now(), now()
    from generate_series(1, 20000) n`;
  const deletions = ids.map((id) => ({ method: "DELETE", path: `/categories/${id}` }));
  const costly = rest("POST", "/batch", { token, body: { operations: deletions } });
  const began = performance.now();
  const others = await Promise.all(
    Array.from({ length: 10 }, (_, index) => group(`other ${index}`, [create("quick")])),
  );
  expect(others.map(statuses)).toEqual(Array.from({ length: 10 }, () => [201]));
  expect(performance.now() - began).toBeLessThan(1_000);
  expect((await costly).status).toBeOneOf([200, 503]);
});
