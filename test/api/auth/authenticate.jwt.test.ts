import { afterAll, afterEach, expect, setSystemTime, spyOn, test } from "bun:test";
import { openAuthenticator, startProvider, useIssuer } from "./support.ts";

afterEach(() => void setSystemTime());

test("keys that cannot be fetched are a provider that is down, never a bad token, and are fetched again", async () => {
  const issuer = await useIssuer();
  let keys: () => Response = () => new Response(null, { status: 500 });
  const iss = startProvider(() => keys());
  const { outcomeOf } = openAuthenticator(iss);
  const token = await issuer.token({ iss });
  for (const failure of [
    () => new Response(null, { status: 500 }),
    () => new Response("<html>no keys</html>"),
    () => Response.json({ keys: "none" }),
  ]) {
    keys = failure;
    expect(await outcomeOf(token)).toBe("overloaded");
  }
  keys = () => Response.json({ keys: [issuer.publicKey()] });
  expect(await outcomeOf(token)).toBe("ok");
});

test("a signature is checked once for each key; an expiry, another key of that name and a withdrawn one are seen", async () => {
  const [issuer, other] = [await useIssuer(), await useIssuer()];
  const own = issuer.publicKey();
  let published = own;
  const iss = startProvider(() => Response.json({ keys: [published] }));
  const { outcomeOf } = openAuthenticator(iss);
  const verify = spyOn(crypto.subtle, "verify");
  afterAll(() => verify.mockRestore());
  const began = Math.ceil(Date.now() / 1_000);
  const short = await issuer.token({ iss, exp: began + 10 });
  const long = await issuer.token({ iss });
  const present = async (token: string, seconds: number) => {
    setSystemTime((began + seconds) * 1_000);
    return [await outcomeOf(token), verify.mock.calls.length];
  };
  expect(await present(short, 0)).toEqual(["ok", 1]);
  // Expired, but by less than clocks may differ, so it is checked again.
  expect(await present(short, 12)).toEqual(["ok", 1]);
  expect(await present(short, 16)).toEqual(["unauthenticated", 2]);
  expect(await present(long, 20)).toEqual(["ok", 3]);
  published = { ...other.publicKey(), kid: own.kid ?? "" };
  expect(await present(long, 90)).toEqual(["unauthenticated", 4]);
  published = own;
  expect(await present(long, 150)).toEqual(["ok", 5]);
  published = other.publicKey();
  expect(await present(long, 220)).toEqual(["unauthenticated", 5]);
});

/** An issuer and a door that checks each token anew. */
async function start() {
  const issuer = await useIssuer();
  const { outcomeOf } = openAuthenticator(issuer.url, { tokenCacheSeconds: 0 });
  const withUnknownKeys = (count: number) =>
    Promise.all(
      Array.from({ length: count }, async () =>
        outcomeOf(await issuer.token({}, { kid: crypto.randomUUID() })),
      ),
    );
  return { issuer, outcomeOf, withUnknownKeys };
}

test("a new key works at its first use, right after strangers asked for sixty unknown ones; the old one does not", async () => {
  const { issuer, outcomeOf, withUnknownKeys } = await start();
  for (let round = 0; round < 2; round++) {
    const before = await issuer.token();
    expect(await outcomeOf(before)).toBe("ok");
    expect(new Set(await withUnknownKeys(60))).toEqual(new Set(["unauthenticated"]));
    await issuer.rotate();
    expect(await outcomeOf(await issuer.token())).toBe("ok");
    expect(await outcomeOf(before)).toBe("unauthenticated");
  }
});

test("a new key works at its first use while strangers go on asking for unknown ones", async () => {
  const { issuer, outcomeOf, withUnknownKeys } = await start();
  let asked = 0;
  let flooding = true;
  const flood = (async () => {
    for (; flooding; asked++) await Promise.race([withUnknownKeys(5), Bun.sleep(100)]);
  })();
  for (let round = 0; round < 2; round++) {
    const before = asked;
    while (asked < before + 3) await Bun.sleep(10);
    await issuer.rotate();
    expect(await outcomeOf(await issuer.token())).toBe("ok");
  }
  flooding = false;
  await flood;
});

test("whatever strangers ask for, the keys are fetched about once a second, and known keys never wait", async () => {
  const { issuer, outcomeOf, withUnknownKeys } = await start();
  const known = await issuer.token();
  expect(await outcomeOf(known)).toBe("ok");
  const [before, since] = [issuer.keyFetches(), performance.now()];
  const refused = withUnknownKeys(200);
  expect(await outcomeOf(known)).toBe("ok");
  expect(issuer.keyFetches() - before).toBeLessThanOrEqual(1);
  expect(new Set(await refused)).toEqual(new Set(["unauthenticated"]));
  for (let more = 0; more < 2; more++) await withUnknownKeys(1);
  const seconds = (performance.now() - since) / 1_000;
  expect(issuer.keyFetches() - before).toBeLessThanOrEqual(seconds + 2);
});
