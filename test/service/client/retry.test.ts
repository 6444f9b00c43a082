import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { createKeptClient } from "../../../api/client/index.ts";
import { useStack } from "../../harness.ts";
import { startFaultyProxy } from "./faulty-proxy.ts";

const { config, issuer } = await useStack();
const proxy = await startFaultyProxy(config.baseUrl);
afterAll(proxy.stop);

const token = await issuer.token();
const kept = createKeptClient({ url: proxy.url, token });
const titles = async () => (await kept.GET("/todos")).data?.data.map(({ title }) => title) ?? [];

/** An answer of a service under load, or of a proxy whose service is away. */
const answered = (status: number, retryAfter?: number) => ({
  answer: `HTTP/1.1 ${status} Later\r\nContent-Length: 0\r\nConnection: close\r\n${
    retryAfter === undefined ? "" : `Retry-After: ${retryAfter}\r\n`
  }\r\n`,
});

const keysSent = () => proxy.heads.map((head) => /^idempotency-key: (.+)$/im.exec(head)?.[1]);

beforeEach(() => {
  proxy.heads.length = 0;
  proxy.faults.length = 0;
});

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

  test("that was refused is not sent again", async () => {
    const { error, response } = await kept.POST("/todos", { body: { title: "" } });
    expect([response.status, error?.message]).toEqual([
      422,
      "The title field must be text of 1 to 255 characters on one line.",
    ]);
    expect(proxy.heads).toHaveLength(1);
  });
});

test("a read is sent again, without a key", async () => {
  proxy.faults.push("cut", "half", answered(504));
  expect((await kept.GET("/me")).response.status).toBe(200);
  expect(keysSent()).toEqual([undefined, undefined, undefined, undefined]);
});

test("an answer without content is one", async () => {
  const { data } = await kept.POST("/todos", { body: { title: "Gone" } });
  const params = { path: { todo_id: data?.id ?? 0 } };
  expect((await kept.DELETE("/todos/{todo_id}", { params })).response.status).toBe(204);
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
