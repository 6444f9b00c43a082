import { afterEach, expect, setSystemTime, spyOn, test } from "bun:test";
import { decodeJwt } from "jose";
import { newPersonalToken } from "../../../api/auth/token-format.ts";
import { findToken } from "../../../api/identity/tokens.ts";
import { createLog } from "../../../shared/process/observe/log.ts";
import { eventually } from "../../support/reminder/stack.ts";
import { audience, openAuthenticator, useIssuer } from "./support.ts";

afterEach(() => void setSystemTime());

test.each([
  ["of another issuer", () => "https://elsewhere.example", "unauthenticated"],
  ["of an issuer that only begins like Kept's", (url: string) => `${url}.evil.example`, "unauthenticated"],
  ["of an issuer in a list", (url: string) => [url], "unauthenticated"],
  ["of no issuer", () => undefined, "ok"],
  ["of our issuer", (url: string) => url, "ok"],
  ["of our issuer with a slash", (url: string) => `${url}/`, "ok"],
])("an introspection answer %s is judged by it", async (_, iss, outcome) => {
  const issuer = await useIssuer(() => ({ ...decodeJwt(jwt), active: true, iss: iss(issuer.url) }));
  const jwt = await issuer.token();
  const { outcomeOf } = openAuthenticator(issuer.url);
  for (const token of [jwt, crypto.randomUUID()]) expect(await outcomeOf(token)).toBe(outcome);
});

test("AUTH_JWT_TYP=at+jwt accepts RFC 9068 tokens only", async () => {
  const issuer = await useIssuer();
  const outcomes = (authJwtTyp: "any" | "at+jwt") =>
    Promise.all(
      ["at+jwt", "application/at+jwt", "JWT", undefined].map(async (typ) =>
        openAuthenticator(issuer.url, { authJwtTyp }).outcomeOf(await issuer.token({}, { typ })),
      ),
    );
  expect(await outcomes("any")).toEqual(["ok", "ok", "ok", "ok"]);
  expect(await outcomes("at+jwt")).toEqual(["ok", "ok", "unauthenticated", "unauthenticated"]);
});

test("a door says once that it cannot ask a provider which offers it, and nothing when it can", async () => {
  const issuer = await useIssuer((token) => ({ ...decodeJwt(token), active: true }));
  const warnings = async (asks: boolean) => {
    const log = createLog("test", "silent");
    const warn = spyOn(log, "warn");
    const { outcomeOf } = openAuthenticator(issuer.url, { asks, log });
    for (let n = 0; n < 3; n++) expect(await outcomeOf(await issuer.token())).toBe("ok");
    return warn.mock.calls.map(([text]) => String(text));
  };
  expect(await warnings(false)).toEqual([expect.stringContaining("AUTH_CLIENT_ID is not set")]);
  expect(await warnings(true)).toEqual([]);
});

test("a provider that is down is no refusal: known tokens go on", async () => {
  const issuer = await useIssuer();
  const { outcomeOf } = openAuthenticator(issuer.url);
  const [known, unknown] = [await issuer.token(), await issuer.token()];
  expect(await outcomeOf(known)).toBe("ok");
  issuer.stop();
  expect(await outcomeOf(known)).toBe("ok");
  expect(await openAuthenticator(issuer.url).outcomeOf(unknown)).toBe("overloaded");
});

test("of more known tokens than are remembered the least used is checked anew; refused ones displace none in use", async () => {
  const checks = new Map<string, number>();
  const issuer = await useIssuer((token) => {
    checks.set(token, (checks.get(token) ?? 0) + 1);
    return { active: !token.startsWith("bad"), sub: "ada", aud: audience };
  });
  const { outcomeOf } = openAuthenticator(issuer.url, { maxKnown: 20 });
  const present = async (...tokens: string[]) => {
    for (const token of tokens) await outcomeOf(token);
  };
  const numbered = (name: string, count: number) => Array.from({ length: count }, (_, n) => `${name}${n}`);
  await present("used", "unused", ...numbered("token", 18), "used");
  for (const bad of numbered("bad", 40)) await present(bad, "used");
  expect([checks.get("used"), checks.get("bad0")]).toEqual([1, 1]);
  await present("another", "used", "unused");
  expect([checks.get("used"), checks.get("unused")]).toEqual([1, 2]);
});

test("a token revoked at this door is refused at once, though its check is remembered or under way", async () => {
  const answered = Promise.withResolvers<void>();
  const issuer = await useIssuer(async (token) => {
    if (token === "slow") await answered.promise;
    return { active: true, sub: "ada", jti: token, aud: audience };
  });
  const { outcomeOf, refuseToken } = openAuthenticator(issuer.url);
  expect(await outcomeOf("known")).toBe("ok");
  const underWay = outcomeOf("slow");
  for (const tokenId of ["known", "slow"]) refuseToken({ userId: "ada", tokenId });
  answered.resolve();
  expect(await underWay).toBe("unauthenticated");
  expect(await outcomeOf("known")).toBe("unauthenticated");
  expect(await outcomeOf("other")).toBe("ok");
});

/** An issuer whose checks the test answers one by one; `seconds` is the time at which a token comes. */
async function startSlowly(tokenCacheSeconds: number) {
  const state = { active: true };
  const checks: PromiseWithResolvers<void>[] = [];
  const issuer = await useIssuer(async () => {
    const { active } = state;
    const check = Promise.withResolvers<void>();
    checks.push(check);
    await check.promise;
    return { active, sub: "ada", aud: audience };
  });
  const { outcomeOf } = openAuthenticator(issuer.url, { tokenCacheSeconds });
  const began = Date.now();
  return {
    state,
    checks,
    present(seconds: number) {
      setSystemTime(began + seconds * 1_000);
      return outcomeOf("steady");
    },
    begun: (number: number) => eventually(() => checks.length === number),
    /** A whole question to the issuer ends after the answers that were given before it have arrived. */
    arrived: async () => (await fetch(`${issuer.url}/jwks`)).text(),
  };
}

test("a revoked token is refused TOKEN_CACHE_SECONDS after its check began, however long that hung", async () => {
  const { state, checks, present, begun } = await startSlowly(1);
  const first = present(0);
  await begun(1);
  state.active = false;
  // For a second after a check began, requests share it; later ones have their own.
  const sharing = present(0.1);
  const late = present(1.1);
  checks[0]?.resolve();
  await begun(2);
  checks[1]?.resolve();
  expect([await first, await sharing, await late]).toEqual(["ok", "ok", "unauthenticated"]);
});

test("a token in use is checked again before its time, once, so that none of its requests waits", async () => {
  const { state, checks, present, begun, arrived } = await startSlowly(60);
  const first = present(0);
  await begun(1);
  checks[0]?.resolve();
  expect([await first, await present(41), checks.length]).toEqual(["ok", "ok", 1]);
  // All of these are answered while the provider is away.
  expect([await present(55), await present(56), await present(59)]).toEqual(["ok", "ok", "ok"]);
  await begun(2);
  checks[1]?.resolve();
  await arrived();
  expect([await present(95), checks.length]).toEqual(["ok", 2]);
  state.active = false;
  expect(await present(112)).toBe("ok");
  await begun(3);
  checks[2]?.resolve();
  await arrived();
  const refused = present(113);
  await begun(4);
  checks[3]?.resolve();
  expect([await refused, checks.length]).toEqual(["unauthenticated", 4]);
});

test("a mistyped personal token is refused before the database is asked; another provider judges it itself", async () => {
  const mistyped = `kept_${"x".repeat(49)}`;
  const away = { query: () => Promise.reject(new Error("The database is away.")) };
  expect(await findToken(away, [], mistyped)).toBeUndefined();
  expect(findToken(away, [], newPersonalToken())).rejects.toThrow("The database is away.");
  expect(await openAuthenticator("http://127.0.0.1:9").outcomeOf(mistyped)).toBe("overloaded");
});
