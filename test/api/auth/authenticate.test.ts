import { afterAll, afterEach, expect, setSystemTime, spyOn, test } from "bun:test";
import { type Authenticate, createAuthenticator } from "../../../api/auth/authenticate.ts";
import { newPersonalToken } from "../../../api/auth/token-format.ts";
import { isRefused } from "../../../shared/errors.ts";
import { createLog } from "../../../shared/process/observe/log.ts";
import { startIssuer } from "../../support/servers/issuer.ts";

const audience = "https://kept.example";

afterEach(() => void setSystemTime());

/** The outcome of a token: the refusal's code, or `ok`. */
async function outcomeOf(authenticate: Authenticate, token: string): Promise<string> {
  const answer = await authenticate(`Bearer ${token}`);
  return isRefused(answer) ? answer.refusal.code : "ok";
}

const authenticatorFor = (...settings: Parameters<typeof openAuthenticator>): Authenticate =>
  openAuthenticator(...settings).authenticate;

function openAuthenticator(
  authUrl: string,
  client?: { id: string; secret: string },
  builtInIdentity = false,
) {
  return createAuthenticator({
    config: {
      authUrl,
      authInternalUrl: authUrl,
      authAudience: [audience],
      authJwtTyp: "any",
      builtInIdentity,
      tokenCacheSeconds: 60,
    },
    client,
    log: createLog("test", "error"),
    onChecked: async () => {},
  });
}

/** A provider whose keys the test gives. */
function startProvider(keys: () => Response): string {
  const provider = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch({ url }) {
      const { pathname, origin } = new URL(url);
      return pathname === "/jwks" ? keys() : Response.json({ issuer: origin, jwks_uri: `${origin}/jwks` });
    },
  });
  afterAll(() => provider.stop(true));
  return `http://127.0.0.1:${provider.port}`;
}

test("keys that cannot be fetched are a provider that is down, never a bad token, and are fetched again", async () => {
  const issuer = await startIssuer(audience);
  let keys: () => Response = () => new Response(null, { status: 500 });
  afterAll(() => issuer.stop());
  const iss = startProvider(() => keys());
  const authenticate = authenticatorFor(iss);
  const token = await issuer.token({ iss });
  for (const failure of [
    () => new Response(null, { status: 500 }),
    () => new Response("<html>no keys</html>"),
    () => Response.json({ keys: "none" }),
  ]) {
    keys = failure;
    expect(await outcomeOf(authenticate, token)).toBe("overloaded");
  }
  keys = () => Response.json({ keys: [issuer.publicKey()] });
  expect(await outcomeOf(authenticate, token)).toBe("ok");
});

test("a signature is checked once for each key; an expiry, another key of that name and a withdrawn one are seen", async () => {
  const [issuer, other] = [await startIssuer(audience), await startIssuer(audience)];
  afterAll(() => Promise.all([issuer.stop(), other.stop()]));
  const own = issuer.publicKey();
  let published = own;
  const iss = startProvider(() => Response.json({ keys: [published] }));
  const authenticate = authenticatorFor(iss);
  const verify = spyOn(crypto.subtle, "verify");
  afterAll(() => verify.mockRestore());
  const began = Math.ceil(Date.now() / 1_000);
  const short = await issuer.token({ iss, exp: began + 10 });
  const long = await issuer.token({ iss });
  const present = async (token: string, seconds: number) => {
    setSystemTime((began + seconds) * 1_000);
    return [await outcomeOf(authenticate, token), verify.mock.calls.length];
  };
  expect(await present(short, 0)).toEqual(["ok", 1]);
  expect(await present(short, 12)).toEqual(["ok", 1]); // Expired, but by less than clocks may differ, so it is checked again.
  expect(await present(short, 16)).toEqual(["unauthenticated", 2]);
  expect(await present(long, 20)).toEqual(["ok", 3]);
  published = { ...other.publicKey(), kid: own.kid ?? "" };
  expect(await present(long, 90)).toEqual(["unauthenticated", 4]);
  published = own;
  expect(await present(long, 150)).toEqual(["ok", 5]);
  published = other.publicKey();
  expect(await present(long, 220)).toEqual(["unauthenticated", 5]);
});

test("of more than 10,000 known tokens the least used is checked anew; refused ones displace none in use", async () => {
  const checks = new Map<string, number>();
  const issuer = await startIssuer(audience, (token) => {
    checks.set(token, (checks.get(token) ?? 0) + 1);
    return { active: !token.startsWith("bad"), sub: "ada", aud: audience };
  });
  afterAll(() => issuer.stop());
  const authenticate = authenticatorFor(issuer.url, { id: "kept", secret: "secret" });
  const present = (tokens: readonly string[]) =>
    Promise.all(tokens.map((token) => outcomeOf(authenticate, token)));
  const numbered = (name: string, count: number) => Array.from({ length: count }, (_, n) => `${name}${n}`);
  await present(["used"]);
  await present(["unused"]);
  const others = numbered("token", 9_998);
  while (others.length > 0) await present(others.splice(-200));
  await present(["used"]);
  for (let round = 0; round < 100; round++) await present(numbered(`bad${round}-`, 200));
  await present(["used"]);
  expect([checks.get("used"), checks.get("bad0-0")]).toEqual([1, 1]);
  for (const token of ["another", "used", "unused"]) await present([token]);
  expect([checks.get("used"), checks.get("unused")]).toEqual([1, 2]);
}, 60_000);

test("a token revoked at this door is refused at once, though its check is remembered or under way", async () => {
  const answered = Promise.withResolvers<void>();
  const issuer = await startIssuer(audience, async (token) => {
    if (token === "slow") await answered.promise;
    return { active: true, sub: "ada", jti: token, aud: audience };
  });
  afterAll(() => issuer.stop());
  const { authenticate, refuseToken } = openAuthenticator(issuer.url, { id: "kept", secret: "secret" });
  expect(await outcomeOf(authenticate, "known")).toBe("ok");
  const underWay = outcomeOf(authenticate, "slow");
  for (const tokenId of ["known", "slow"]) refuseToken({ userId: "ada", tokenId });
  answered.resolve();
  expect(await underWay).toBe("unauthenticated");
  expect(await outcomeOf(authenticate, "known")).toBe("unauthenticated");
  expect(await outcomeOf(authenticate, "other")).toBe("ok");
});

test("a token in use is checked again before its time, once, so that none of its requests waits", async () => {
  let active = true;
  const checks: PromiseWithResolvers<void>[] = [];
  const issuer = await startIssuer(audience, async () => {
    const check = Promise.withResolvers<void>();
    checks.push(check);
    if (checks.length > 1) await check.promise;
    return { active, sub: "ada", aud: audience };
  });
  afterAll(() => issuer.stop());
  const authenticate = authenticatorFor(issuer.url, { id: "kept", secret: "secret" });
  const began = Date.now();
  const present = async (seconds: number) => {
    setSystemTime(began + seconds * 1_000);
    return outcomeOf(authenticate, "steady");
  };
  const isAnswered = async (number: number) => {
    while (checks.length < number) await Bun.sleep(1);
    checks[number - 1]?.resolve();
    await Bun.sleep(50);
  };
  expect([await present(0), await present(41), checks.length]).toEqual(["ok", "ok", 1]);
  // All of these are answered while the provider is away.
  expect([await present(55), await present(56), await present(59)]).toEqual(["ok", "ok", "ok"]);
  await isAnswered(2);
  expect([await present(95), checks.length]).toEqual(["ok", 2]);
  active = false;
  expect(await present(112)).toBe("ok");
  await isAnswered(3);
  const refused = present(113);
  await isAnswered(4);
  expect([await refused, checks.length]).toEqual(["unauthenticated", 4]);
});

test("a mistyped personal token is refused before the built-in provider is asked; another provider judges it itself", async () => {
  const nowhere = "http://127.0.0.1:9";
  const mistyped = `kept_${"x".repeat(49)}`;
  const builtIn = authenticatorFor(nowhere, undefined, true);
  expect(await outcomeOf(builtIn, mistyped)).toBe("unauthenticated");
  expect(await outcomeOf(builtIn, newPersonalToken())).toBe("overloaded");
  expect(await outcomeOf(authenticatorFor(nowhere), mistyped)).toBe("overloaded");
});
