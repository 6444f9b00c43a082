import { expect, test } from "bun:test";
import { createRateLimit } from "../../api/http/rate-limit.ts";
import { connectFailFast } from "../../shared/queue/connections.ts";
import { startStack } from "../harness.ts";

const { rest, issuer } = await startStack({ env: { RATE_LIMIT_PER_MINUTE: "60" } });

test("60 requests a minute per token, refused ones counted, with the headers of both styles", async () => {
  const token = await issuer.token({ scope: "todos:read" });
  const first = await rest("GET", "/todos", { token });
  expect(first.headers.get("ratelimit-policy")).toBe(`"default";q=60;w=60`);
  expect(first.headers.get("ratelimit")).toMatch(/^"default";r=59;t=60$/);
  expect(first.headers.get("x-ratelimit-limit")).toBe("60");
  const reset = Number(first.headers.get("x-ratelimit-reset")) - Date.now() / 1000;
  expect(reset).toBeGreaterThan(55);
  const forbidden = await rest("GET", "/habits", { token });
  expect([forbidden.status, forbidden.headers.get("x-ratelimit-remaining")]).toEqual([403, "58"]);
  const answers = await Promise.all(Array.from({ length: 60 }, () => rest("GET", "/todos", { token })));
  const limited = answers.filter(({ status }) => status === 429);
  expect(limited).toHaveLength(2);
  expect(limited[0]?.body).toEqual({ message: expect.stringContaining("wait"), code: "rate_limited" });
  expect(limited[0]?.headers.get("retry-after")).toMatch(/^\d+$/);
  expect(limited[0]?.headers.get("x-ratelimit-remaining")).toBe("0");
  expect((await rest("GET", "/habits", { token })).status).toBe(429);
});

test("each token has its own limit, and a request without a token has no headers", async () => {
  const answer = await rest("GET", "/todos", { token: await issuer.token() });
  expect(answer.headers.get("x-ratelimit-remaining")).toBe("59");
  expect((await rest("GET", "/todos", { token: "" })).headers.has("x-ratelimit-limit")).toBe(false);
});

test("without Redis, a front door counts by itself and says so", async () => {
  const redis = connectFailFast("redis://127.0.0.1:1");
  let fallbacks = 0;
  const limit = createRateLimit(redis, "test", 2, Date.now, () => {
    fallbacks += 1;
  });
  const answers = [await limit("token"), await limit("token"), await limit("token")];
  expect(answers.map((allowance) => allowance?.allowed)).toEqual([true, true, false]);
  expect(fallbacks).toBe(3);
  redis.disconnect();
});
