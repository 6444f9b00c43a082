import { expect, test } from "bun:test";
import { decodeJwt } from "jose";
import { startStack } from "../../harness.ts";

/** The provider's answers by token; a token without one is active and has its own claims. */
const answers = new Map<string, () => Promise<Record<string, unknown>>>();
const env = { AUTH_CLIENT_ID: "kept", AUTH_CLIENT_SECRET: "x".repeat(40), TOKEN_CACHE_SECONDS: "1" };
const { rest, issuer } = await startStack({
  env,
  introspect: (token) => answers.get(token)?.() ?? activeOf(token),
});
const activeOf = (token: string) => ({ ...decodeJwt(token), active: true });
const statusOf = async (token: string) => (await rest("GET", "/categories", { token })).status;

test.each([
  ["of another issuer", "https://elsewhere.example", 401],
  ["of an issuer that only begins like Kept's", `${issuer.url}.evil.example`, 401],
  ["of an issuer in a list", [issuer.url], 401],
  ["of no issuer", undefined, 200],
  ["of our issuer", issuer.url, 200],
  ["of our issuer with a slash", `${issuer.url}/`, 200],
])("an introspection answer %s is judged by it", async (_, iss, status) => {
  const jwt = await issuer.token();
  const opaque = crypto.randomUUID();
  for (const token of [jwt, opaque]) {
    answers.set(token, async () => ({ ...activeOf(jwt), iss }));
    expect(await statusOf(token)).toBe(status);
  }
});

test("a revoked token is refused TOKEN_CACHE_SECONDS after its check began, however long that hung", async () => {
  const token = await issuer.token();
  let revoked = false;
  answers.set(token, async () => {
    const active = !revoked;
    await Bun.sleep(1_200);
    return { ...activeOf(token), active };
  });
  const first = statusOf(token);
  await Bun.sleep(100);
  revoked = true;
  // For a second after a check began, requests share it; later ones have their own.
  const sharing = statusOf(token);
  await Bun.sleep(1_000);
  const late = statusOf(token);
  expect([await first, await sharing]).toEqual([200, 200]);
  expect([await late, await statusOf(token)]).toEqual([401, 401]);
});
