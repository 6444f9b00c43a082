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

let token = "";
let kept = createKeptClient({ url: proxy.url, token });
beforeEach(async () => {
  token = await issuer.token({ sub: crypto.randomUUID() });
  kept = createKeptClient({ url: proxy.url, token });
  proxy.heads.length = 0;
  proxy.faults.length = 0;
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

const noTitle = { title: [expect.stringContaining("title")] };

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
  test("has every thing once, also if the caller takes things off it meanwhile", async () => {
    await makeTodos(230);
    const list = (page: number) => kept.GET("/todos", { params: { query: { page } } });
    const { meta } = await dataOf(list(1));
    proxy.heads.length = 0;
    const ids = (await collect(everyItem(list))).map(({ id }) => id);
    expect([ids.length, new Set(ids).size, proxy.heads.length]).toEqual([230, 230, meta.last_page]);
    const seen: number[] = [];
    for await (const { id } of everyItem(list)) {
      if (seen.push(id) % 50 > 0) continue;
      const group = createGroup(kept);
      for (const todo_id of seen.slice(-50))
        group.add("POST", "/todos/{todo_id}/toggle", { path: { todo_id } });
      await group.run();
    }
    expect(seen).toEqual(ids);
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
    expect(await errorIn(group.run())).toMatchObject({ status: 422, fields: noTitle });
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
  test("has the service's sentence, status, code and fields, and nothing is sent again", async () => {
    const missing = await errorIn(dataOf(kept.GET("/todos/{todo_id}", { params: { path: { todo_id: 9 } } })));
    expect(missing).toBeInstanceOf(KeptError);
    const message = "Todo not found.";
    expect(missing).toMatchObject({ message, status: 404, code: "not_found", applied: "no", fields: {} });
    const invalid = await errorIn(dataOf(kept.POST("/todos", { body: { title: "" } })));
    expect(invalid).toMatchObject({ status: 422, code: "invalid", fields: noTitle });
    expect(proxy.heads).toHaveLength(2);
  });

  test("tells how long to wait", async () => {
    proxy.faults.push({ answer: "HTTP/1.1 429 Later\r\nContent-Length: 0\r\nRetry-After: 91\r\n\r\n" });
    expect(await errorIn(dataOf(kept.GET("/me")))).toMatchObject({ status: 429, retryAfter: 91 });
  });

  test("without an answer tells whether a change may have been made", async () => {
    const once = createKeptClient({ url: proxy.url, token, retries: { attempts: 1 } });
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
  const tokens = ["wrong", token];
  const renewing = createKeptClient({ url: proxy.url, token: async () => tokens.shift() ?? "" });
  expect((await renewing.GET("/me")).response.status).toBe(401);
  expect((await renewing.GET("/me")).response.status).toBe(200);
});

const titles = async () => (await kept.GET("/todos")).data?.data.map(({ title }) => title) ?? [];

/** An answer of a service under load, or of a proxy whose service is away. */
const answered = (status: number, retryAfter?: number) => ({
  answer: `HTTP/1.1 ${status} Later\r\nContent-Length: 0\r\nConnection: close\r\n${
    retryAfter === undefined ? "" : `Retry-After: ${retryAfter}\r\n`
  }\r\n`,
});

const keysSent = () => proxy.heads.map((head) => /^idempotency-key: (.+)$/im.exec(head)?.[1]);

describe("a change", () => {
  test.each([
    ["whose answer was lost", "cut"],
    ["whose answer broke in its middle", "half"],
    ["that came too often", answered(429, 0)],
    ["that Kept could not make then", answered(503, 0)],
    ["whose door a proxy could not reach", answered(502)],
  ] as const)("%s is sent again under the same key, and made once", async (title, fault) => {
    proxy.faults.push(fault);
    const { data, response } = await kept.POST("/todos", { body: { title } });
    expect([response.status, data?.title]).toEqual([201, title]);
    const [first, second, ...more] = keysSent();
    expect([first, more]).toEqual([second, []]);
    expect(first).toMatch(/^[\da-f-]{36}$/);
    expect((await titles()).filter((one) => one === title)).toHaveLength(1);
  });

  test("has a key of its own unless the caller gave one", async () => {
    await kept.POST("/categories", { body: { name: "One" } });
    await kept.POST("/categories", { body: { name: "Two" } });
    await kept.POST("/categories", { body: { name: "Three" }, headers: { "Idempotency-Key": "mine" } });
    const [one, two, three] = keysSent();
    expect(one).not.toBe(two);
    expect(three).toBe("mine");
  });
});

test("a read is sent again, without a key", async () => {
  proxy.faults.push("cut", "half", answered(504));
  expect((await kept.GET("/me")).response.status).toBe(200);
  expect(keysSent()).toEqual([undefined, undefined, undefined, undefined]);
});

test("after as many attempts as allowed the caller gets the last answer or error", async () => {
  const twice = createKeptClient({ url: proxy.url, token, retries: { attempts: 2 } });
  proxy.faults.push(answered(503, 0), answered(503, 0));
  expect((await twice.GET("/me")).response.status).toBe(503);
  proxy.faults.push("cut", "cut");
  expect(twice.GET("/me")).rejects.toThrow();
  await twice.GET("/me").catch(() => {});
});

test("who would have to wait for longer than there is time is told at once", async () => {
  proxy.faults.push(answered(429, 91));
  expect((await kept.GET("/me")).response.status).toBe(429);
  expect(proxy.heads).toHaveLength(1);
});

test("a caller who gives up gets the reason, also between two attempts", async () => {
  proxy.faults.push(answered(503, 60));
  const signal = AbortSignal.timeout(200);
  const call = kept.POST("/todos", { body: { title: "Never" }, signal });
  expect(await call.catch((error: unknown) => error)).toBe(signal.reason);
  expect(proxy.heads).toHaveLength(1);
  expect(await titles()).not.toContain("Never");
});
