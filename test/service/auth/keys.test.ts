import { expect, test } from "bun:test";
import { startStack } from "../../harness.ts";

const { rest, issuer } = await startStack({ env: { TOKEN_CACHE_SECONDS: "0" } });

const statusOf = async (token: string) => (await rest("GET", "/categories", { token })).status;
const withUnknownKey = () => issuer.token({}, { kid: crypto.randomUUID() });
const severalWithUnknownKeys = (count: number) =>
  Promise.all(Array.from({ length: count }, async () => statusOf(await withUnknownKey())));

test("a new key works at its first use, right after strangers asked for sixty unknown ones", async () => {
  for (let round = 0; round < 2; round++) {
    const refused = await severalWithUnknownKeys(60);
    expect(new Set(refused)).toEqual(new Set([401]));
    await issuer.rotate();
    expect(await statusOf(await issuer.token())).toBe(200);
  }
});

test("a new key works at its first use while strangers go on asking for unknown ones", async () => {
  let flooding = true;
  const flood = (async () => {
    while (flooding) await Promise.race([severalWithUnknownKeys(5), Bun.sleep(100)]);
  })();
  for (let round = 0; round < 2; round++) {
    await Bun.sleep(300);
    await issuer.rotate();
    expect(await statusOf(await issuer.token())).toBe(200);
  }
  flooding = false;
  await flood;
  await Bun.sleep(1_500);
});

test("whatever strangers ask for, the keys are fetched about once a second, and known keys never wait", async () => {
  const known = await issuer.token();
  expect(await statusOf(known)).toBe(200);
  const [before, since] = [issuer.keyFetches(), performance.now()];
  const refused = severalWithUnknownKeys(200);
  expect(await statusOf(known)).toBe(200);
  expect(issuer.keyFetches() - before).toBeLessThanOrEqual(1);
  expect(new Set(await refused)).toEqual(new Set([401]));
  for (let more = 0; more < 2; more++) await statusOf(await withUnknownKey());
  const seconds = (performance.now() - since) / 1_000;
  expect(issuer.keyFetches() - before).toBeLessThanOrEqual(seconds + 2);
});
