import { afterAll, expect, test } from "bun:test";
import { SQL } from "bun";
import { type Answer, useStack } from "../../harness.ts";
import { holdingTodo } from "../../support/todos.ts";

const { rest, issuer, config } = await useStack();
const connect = () => new SQL(config.databaseUrl, { max: 1 });

const change = (id: number, title: string) => rest("PATCH", `/todos/${id}`, { body: { title } });
const titleOf = async (id: number) => (await rest("GET", `/todos/${id}`)).body.title;
const create = async (title: string): Promise<number> =>
  (await rest("POST", "/todos", { body: { title } })).body.id;

/**
 * Sends requests in this order without waiting for answers.
 * @returns a function that awaits their statuses
 */
async function inOrder(...requests: readonly (() => Promise<Answer>)[]): Promise<() => Promise<number[]>> {
  const sent: Promise<Answer>[] = [];
  for (const request of requests) {
    sent.push(request());
    await Bun.sleep(20);
  }
  return async () => (await Promise.all(sent)).map(({ status }) => status);
}

async function holding<T>(id: number, work: () => Promise<T>): Promise<T> {
  await using sql = connect();
  return holdingTodo(sql, id, work);
}

test("what a user sends after a change that waits takes effect after it, and strangers do not wait", async () => {
  const [held, free] = [await create("Held"), await create("Free")];
  const stranger = await issuer.token({ sub: crypto.randomUUID() });
  const statuses = await holding(held, async () => {
    const waiting = await inOrder(
      () => change(held, "First"),
      () => change(free, "Second"),
      () => change(held, "Third"),
    );
    await Bun.sleep(100);
    expect(await titleOf(free)).toBe("Free");
    expect((await rest("POST", "/todos", { token: stranger, body: { title: "At once" } })).status).toBe(201);
    return waiting;
  });
  expect(await statuses()).toEqual([200, 200, 200]);
  expect([await titleOf(held), await titleOf(free)]).toEqual(["Third", "Second"]);
});

test("of changes that share a batch, none overtakes one that waits, also when the batch is halved", async () => {
  const [held, first, second] = [await create("Held"), await create("One"), await create("Two")];
  const poison = await create("Poison");
  await using sql = connect();
  await sql.unsafe(`
    create function refuse_poison() returns trigger language plpgsql as
      'begin if new.title = ''poison'' then raise exception ''poison''; end if; return new; end';
    create trigger poison before update on todos for each row execute function refuse_poison()`);
  afterAll(async () => {
    await using sql = connect();
    await sql.unsafe("drop trigger poison on todos; drop function refuse_poison");
  });
  const statuses = await holding(held, async () => {
    // The first travels alone, and the others gather meanwhile.
    const waiting = await holding(first, () =>
      inOrder(
        () => change(first, "A"),
        () => change(held, "A"),
        () => change(poison, "poison"),
        () => change(second, "B"),
      ),
    );
    await Bun.sleep(200);
    expect([await titleOf(first), await titleOf(second)]).toEqual(["A", "Two"]);
    return waiting;
  });
  expect(await statuses()).toEqual([200, 200, 500, 200]);
  expect([await titleOf(held), await titleOf(second)]).toEqual(["A", "B"]);
});

test("a batch request is one place in the order of its user", async () => {
  const [held, free] = [await create("Held"), await create("Free")];
  const operation = (id: number, title: string) => ({
    method: "PATCH",
    path: `/todos/${id}`,
    body: { title },
  });
  const statuses = await holding(held, async () => {
    const operations = [operation(held, "In the batch"), operation(free, "In the batch")];
    const waiting = await inOrder(
      () => rest("POST", "/batch", { body: { operations } }),
      () => change(free, "After the batch"),
    );
    await Bun.sleep(100);
    expect(await titleOf(free)).toBe("Free");
    return waiting;
  });
  expect(await statuses()).toEqual([200, 200]);
  expect([await titleOf(held), await titleOf(free)]).toEqual(["In the batch", "After the batch"]);
});

test("a command that can take long is one place in the order of its user", async () => {
  const held = await create("Held");
  const category_id = (await rest("POST", "/categories", { body: { name: "Brief" } })).body.id;
  const fill = () => rest("POST", "/todos", { body: { title: "In it", category_id } });
  const statuses = await holding(held, () =>
    inOrder(
      () => change(held, "First"),
      fill,
      () => rest("DELETE", `/categories/${category_id}`),
      fill,
    ),
  );
  expect(await statuses()).toEqual([200, 201, 204, 422]);
});
