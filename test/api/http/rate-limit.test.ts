import { expect, test } from "bun:test";
import { createRateLimit } from "../../../api/http/rate-limit.ts";
import { connectFailFast } from "../../../shared/queue/connections.ts";
import { startStack } from "../../harness.ts";

const env = { RATE_LIMIT_PER_MINUTE: "12", MCP_RATE_LIMIT_PER_MINUTE: "10" };
const { rest, issuer, config } = await startStack({ env });
const fallbacks = async () =>
  /kept_rate_limit_fallbacks_total \d+/.exec(await (await fetch(`${config.baseUrl}/metrics`)).text())?.[0];

/** A test that begins anew when the front door counted by itself, because Redis answered late. */
const testCounts = (name: string, run: () => Promise<void>) =>
  test(name, async () => {
    for (let tries = 1; ; tries++) {
      const before = await fallbacks();
      const failure = await run().catch((error: unknown) => ({ error }));
      if (!failure) return;
      if (tries === 4 || (await fallbacks()) === before) throw failure.error;
    }
  });

testCounts(
  "so many requests a minute per token, refused ones too, with the headers of both styles",
  async () => {
    const token = await issuer.token({ scope: "todos:read" });
    const first = await rest("GET", "/todos", { token });
    expect(first.headers.get("ratelimit-policy")).toBe(`"default";q=12;w=60`);
    expect(first.headers.get("ratelimit")).toMatch(/^"default";r=11;t=60$/);
    expect(first.headers.get("x-ratelimit-limit")).toBe("12");
    const reset = Number(first.headers.get("x-ratelimit-reset")) - Date.now() / 1000;
    expect(reset).toBeGreaterThan(55);
    const forbidden = await rest("GET", "/habits", { token });
    expect([forbidden.status, forbidden.headers.get("x-ratelimit-remaining")]).toEqual([403, "10"]);
    const answers = await Promise.all(Array.from({ length: 12 }, () => rest("GET", "/habits", { token })));
    const limited = answers.filter(({ status }) => status === 429);
    expect(limited).toHaveLength(2);
    expect(limited[0]?.body).toEqual({ message: expect.stringContaining("wait"), code: "rate_limited" });
    expect(limited[0]?.headers.get("retry-after")).toMatch(/^\d+$/);
    expect(limited[0]?.headers.get("x-ratelimit-remaining")).toBe("0");
    expect((await rest("GET", "/habits", { token })).status).toBe(429);
  },
);

testCounts("each token has its own limit, and a request without a token has no headers", async () => {
  const answer = await rest("GET", "/todos", { token: await issuer.token() });
  expect(answer.headers.get("x-ratelimit-remaining")).toBe("11");
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

testCounts(
  "all tokens of an account have five times the limit, so that new ones give nobody more",
  async () => {
    const sub = crypto.randomUUID();
    const statuses: number[] = [];
    for (let n = 0; n < 6; n++) {
      // A refused request reads nothing, so none of them waits for an earlier one's read.
      const token = await issuer.token({ sub, jti: crypto.randomUUID(), scope: "todos:read" });
      const answers = await Promise.all(Array.from({ length: 12 }, () => rest("GET", "/habits", { token })));
      statuses.push(...answers.map(({ status }) => status));
    }
    expect(statuses).toEqual([...Array(60).fill(403), ...Array(12).fill(429)]);
    expect((await rest("GET", "/me", { token: await issuer.token({ sub: "another" }) })).status).toBe(200);
  },
);

testCounts("what is over one token's limit uses up nothing of the account's", async () => {
  const sub = crypto.randomUUID();
  const tokenOf = (name: string) => issuer.token({ sub, jti: `${sub} ${name}` });
  const [greedy, modest] = [await tokenOf("greedy"), await tokenOf("modest")];
  await Promise.all(Array.from({ length: 80 }, () => rest("GET", "/me", { token: greedy })));
  expect((await rest("GET", "/me", { token: modest })).status).toBe(200);
});

async function message(token: string, method: string): Promise<Response> {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const body = method === "" ? "{" : JSON.stringify({ jsonrpc: "2.0", id: 7, method });
  return fetch(`${config.baseUrl}/mcp`, { method: "POST", headers, body });
}

testCounts("messages that are no calls have a limit of their own for each token", async () => {
  const [busy, other] = [await issuer.token(), await issuer.token({ jti: crypto.randomUUID() })];
  const methods = ["tools/list", "ping", "prompts/list", "tools/call", ""];
  for (let n = 0; n < 10; n++) expect((await message(busy, methods[n % 5] ?? "")).status).not.toBe(429);
  for (const method of methods) {
    const refused = await message(busy, method);
    expect([method, refused.status]).toEqual([method, 429]);
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(await refused.json()).toMatchObject({ error: { data: { code: "rate_limited" } } });
  }
  expect((await message(other, "tools/list")).status).toBe(200);
});
