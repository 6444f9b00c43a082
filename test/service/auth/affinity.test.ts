import { afterAll, expect, test } from "bun:test";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort, startStack } from "../../harness.ts";
import { eventually } from "../../support/reminder/stack.ts";

const program = Bun.which("haproxy") ?? Bun.which("/usr/sbin/haproxy");
if (!program)
  console.warn(
    "SKIPPED: the balancer of docs/operations.md needs HAProxy (Debian: apt-get install haproxy).",
  );

const audience = "kept";
const asked = new Map<string, number>();
const introspect = (token: string) => {
  asked.set(token, (asked.get(token) ?? 0) + 1);
  return { active: true, sub: token, aud: audience, scope: "todos:read" };
};
const env = {
  AUTH_AUDIENCE: audience,
  AUTH_CLIENT_ID: "kept",
  AUTH_CLIENT_SECRET: "a secret of the service, long enough",
  TOKEN_CACHE_SECONDS: "60",
};
const doors = [await startStack({ env, introspect }), await startStack({ env, introspect })];

/** The sample of the docs with doors on this machine, which stay in use however slowly they answer checks. */
async function configuration(port: number): Promise<string> {
  const docs = await Bun.file(join(import.meta.dir, "../../../docs/operations.md")).text();
  const [, sample = ""] = /```haproxy\n([\s\S]*?)```/.exec(docs) ?? [];
  return sample
    .replace(/bind .*/, `bind 127.0.0.1:${port}`)
    .replace("fall 2", "fall 100")
    .replace(/(server door(\d)) \S+/g, (_, server, number) => {
      const { host } = new URL(doors[Number(number) - 1]?.config.baseUrl ?? "");
      return `${server} ${host}`;
    });
}

test.skipIf(!program)("behind the balancer of the docs each token is checked by one front door", async () => {
  const port = freePort();
  const file = join(tmpdir(), `kept-affinity-${port}.cfg`);
  await Bun.write(file, await configuration(port));
  const balancer = Bun.spawn([program ?? "", "-db", "-f", file], { stdio: ["ignore", "ignore", "inherit"] });
  afterAll(async () => {
    balancer.kill();
    await Promise.all([balancer.exited, Bun.file(file).delete()]);
  });
  const statusFor = async (authorization: string) => {
    const url = `http://127.0.0.1:${port}/api/v1/todos`;
    const headers = { authorization };
    const answer = await fetch(url, { headers, keepalive: false }).catch(() => undefined);
    return answer?.status;
  };
  await eventually(async () => (await statusFor("")) === 401);
  // An odd number, so that taking turns would lead each token to another door each time.
  const tokens = Array.from({ length: 31 }, (_, number) => `token-${number}`);
  for (let turn = 0; turn < 4; turn++)
    for (const token of tokens) expect(await statusFor(`Bearer ${token}`)).toBe(200);
  expect(tokens.map((token) => asked.get(token))).toEqual(tokens.map(() => 1));
  const shares = await Promise.all(
    doors.map(async ({ config }) => (await fetch(`${config.baseUrl}/metrics`)).text()),
  );
  for (const share of shares)
    expect(Number(/_count{.*route="\/todos",status="200"} (\d+)/.exec(share)?.[1])).toBeGreaterThan(0);
});
