import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import {
  changesSince,
  createGroup,
  createKeptClient,
  dataOf,
  everyItem,
  KeptError,
  NoAnswerError,
  WaitingError,
} from "../../../api/client/index.ts";
import { useStack } from "../../harness.ts";
import { startFaultyProxy } from "./faulty-proxy.ts";

const { config, issuer } = await useStack();
const proxy = await startFaultyProxy(config.baseUrl);
afterAll(proxy.stop);

let kept = createKeptClient({ url: proxy.url, token: "" });
beforeEach(async () => {
  kept = createKeptClient({ url: proxy.url, token: await issuer.token({ sub: crypto.randomUUID() }) });
  proxy.heads.length = 0;
});

const errorIn = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => undefined,
    (error) => error,
  );

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** Todos in as many requests as groups of fifty need. */
async function makeTodos(count: number): Promise<void> {
  for (let made = 0; made < count; made += 50) {
    const group = createGroup(kept);
    for (let n = made; n < Math.min(count, made + 50); n++)
      group.add("POST", "/todos", { body: { title: `Todo ${n}` } });
    await group.run();
  }
}

describe("a list", () => {
  test("has every thing once, page after page, and stops where the caller stops", async () => {
    await makeTodos(230);
    const list = (page: number) => kept.GET("/todos", { params: { query: { page } } });
    const { meta } = await dataOf(list(1));
    proxy.heads.length = 0;
    const ids = (await collect(everyItem(list))).map(({ id }) => id);
    expect([ids.length, new Set(ids).size, proxy.heads.length]).toEqual([230, 230, meta.last_page]);
    proxy.heads.length = 0;
    for await (const _ of everyItem(list)) break;
    expect(proxy.heads).toHaveLength(1);
  });

  test("that is refused ends with the refusal", async () => {
    const list = (page: number) => kept.GET("/todos", { params: { query: { category_id: -1, page } } });
    expect(await errorIn(collect(everyItem(list)))).toMatchObject({
      status: 422,
      fields: { category_id: [expect.stringMatching(/./)] },
    });
  });
});

test("changes since a cursor are those made after it, and the last cursor is the next one", async () => {
  await makeTodos(230);
  const pages = await collect(changesSince(kept));
  expect(pages.length).toBeGreaterThan(1);
  expect(new Set(pages.flatMap(({ data }) => data.map(({ id }) => id))).size).toBe(230);
  await kept.POST("/todos", { body: { title: "Later" } });
  const later = await collect(changesSince(kept, pages.at(-1)?.next_cursor));
  expect(later.flatMap(({ data }) => data).map(({ resource }) => resource)).toContainEqual(
    expect.objectContaining({ title: "Later" }),
  );
  expect(later).toHaveLength(1);
});

describe("a group", () => {
  test("makes things that refer to each other by one request", async () => {
    const group = createGroup(kept);
    const home = group.add("POST", "/categories", { body: { name: "Home" } });
    const rent = group.add("POST", "/todos", { body: { title: "Rent", category_id: home.id } });
    group.add("PUT", "/todos/{todo_id}/reminder", {
      path: { todo_id: rent.id },
      body: { remind_at: "2099-01-01T09:00" },
    });
    const results = await group.run();
    expect(results.of(rent).category).toMatchObject({ id: results.of(home).id, name: "Home" });
    expect(proxy.heads).toHaveLength(1);
  });

  test("of which one operation fails does nothing, and says why", async () => {
    const group = createGroup(kept);
    group.add("POST", "/todos", { body: { title: "First" } });
    group.add("POST", "/todos", { body: { title: "" } });
    expect(await errorIn(group.run())).toMatchObject({
      status: 422,
      fields: { title: [expect.stringContaining("title")] },
    });
    expect((await dataOf(kept.GET("/todos"))).data).toEqual([]);
  });

  test("that is not atomic does what it can, and each operation has its own answer", async () => {
    const group = createGroup(kept);
    const first = group.add("POST", "/todos", { body: { title: "First" } });
    const missing = group.add("DELETE", "/todos/{todo_id}", { path: { todo_id: 999_999 } });
    const results = await group.run({ atomic: false });
    expect(results.of(first).title).toBe("First");
    expect(() => results.of(missing)).toThrow(expect.objectContaining({ status: 404, code: "not_found" }));
  });

  test("takes only bodies and paths of the document", () => {
    const group = createGroup(kept);
    // @ts-expect-error: a todo has no name
    group.add("POST", "/todos", { body: { title: "Todo", name: "Todo" } });
    // @ts-expect-error: the path needs the id
    group.add("DELETE", "/todos/{todo_id}", {});
    // @ts-expect-error: no route has this method
    group.add("PUT", "/todos", { body: { title: "Todo" } });
  });
});

describe("an error", () => {
  test("has the service's sentence, status, code and fields", async () => {
    const missing = await errorIn(dataOf(kept.GET("/todos/{todo_id}", { params: { path: { todo_id: 9 } } })));
    expect(missing).toBeInstanceOf(KeptError);
    expect(missing).toMatchObject({ status: 404, code: "not_found", applied: "no", fields: {} });
    const invalid = await errorIn(dataOf(kept.POST("/todos", { body: { title: "" } })));
    expect(invalid).toMatchObject({
      status: 422,
      code: "invalid",
      fields: { title: [expect.stringContaining("title")] },
    });
  });

  test("tells how long to wait", async () => {
    proxy.faults.push({ answer: "HTTP/1.1 429 Later\r\nContent-Length: 0\r\nRetry-After: 91\r\n\r\n" });
    expect(await errorIn(dataOf(kept.GET("/me")))).toMatchObject({ status: 429, retryAfter: 91 });
  });

  test("without an answer tells whether a change may have been made", async () => {
    const once = createKeptClient({ url: proxy.url, token: await issuer.token(), retries: { attempts: 1 } });
    proxy.faults.push("cut", "cut");
    const read = await errorIn(dataOf(once.GET("/me")));
    const change = await errorIn(dataOf(once.POST("/todos", { body: { title: "Perhaps" } })));
    expect(read).toBeInstanceOf(NoAnswerError);
    expect([read, change]).toMatchObject([{ applied: "no" }, { applied: "unknown", status: 0 }]);
  });

  test("of a change that waits for approval leads to the page of the decision", async () => {
    const body = JSON.stringify({
      id: "7c9e6679-7425-40de-944b-e07fc1f90ae7",
      state: "waiting",
      expires_at: "2099-01-01T00:00:00.000000Z",
      approve_at: `${config.baseUrl}/account/approvals/7`,
      message: "It waits.",
    });
    proxy.faults.push({
      answer: `HTTP/1.1 202 Accepted\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    });
    const waiting = await errorIn(dataOf(kept.POST("/todos", { body: { title: "Ask first" } })));
    expect(waiting).toBeInstanceOf(WaitingError);
    expect(waiting).toMatchObject({ status: 202, code: "waiting", request: { state: "waiting" } });
  });
});

test("a token may come from a function, which is asked before each request", async () => {
  const tokens = ["wrong", await issuer.token()];
  const renewing = createKeptClient({ url: proxy.url, token: async () => tokens.shift() ?? "" });
  expect((await renewing.GET("/me")).response.status).toBe(401);
  expect((await renewing.GET("/me")).response.status).toBe(200);
});
