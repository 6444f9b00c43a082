import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort, testEnvironment } from "../../harness.ts";
import { pidsOf, startRoles } from "../../support/chaos/roles.ts";
import { fillIn, serviceOf } from "./compose-file.ts";

const program = Bun.which("haproxy") ?? Bun.which("/usr/sbin/haproxy");
if (!program)
  console.warn(
    "SKIPPED: the test of compose.yaml's balancer needs HAProxy (Debian: apt-get install haproxy).",
  );

const { environment } = serviceOf("balancer");
const { DRAIN_SECONDS = "" } = serviceOf("api").environment;

/** The balancer's own configuration, with doors on this machine instead of those in Docker's DNS. */
function configuration(port: number, doors: readonly string[]): string {
  const servers = doors.map((url, number) => `server door${number} ${new URL(url).host}`);
  return fillIn(environment.CONFIGURATION ?? "", {})
    .replace("bind :3000", `bind 127.0.0.1:${port}`)
    .replace("bind :3001", `bind 127.0.0.1:${freePort()}`)
    .replace(/server-template door .*/, servers.join("\n"));
}

test.skipIf(!program)("behind compose.yaml's balancer a door is replaced and no request fails", async () => {
  let isBack = false;
  const roles = await startRoles({
    env: { ...(await testEnvironment()), DRAIN_SECONDS },
    apis: 2,
    report: (line) => {
      isBack ||= line.includes(" is back ");
    },
  });
  const port = freePort();
  const file = join(tmpdir(), `kept-haproxy-${port}.cfg`);
  writeFileSync(file, configuration(port, roles.baseUrls));
  const balancer = Bun.spawn([program ?? "", "-db", "-f", file], { stdio: ["ignore", "ignore", "inherit"] });
  const tokens = await Promise.all(
    Array.from({ length: 12 }, (_, number) => roles.issuer.token({ sub: `user ${number}` })),
  );
  const statuses: Record<string, number> = {};
  let over = false;
  async function ask(token: string, path: string, init: RequestInit = {}): Promise<string> {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { ...init, headers }).catch(
      () => undefined,
    );
    await answer?.arrayBuffer();
    return answer ? String(answer.status) : "lost";
  }
  const write = { method: "POST", body: JSON.stringify({ title: "Written" }) };
  async function client(token: string): Promise<void> {
    while (!over) {
      const status = await ask(token, "/api/v1/todos", write);
      statuses[status] = (statuses[status] ?? 0) + 1;
      await Bun.sleep(20);
    }
  }
  const [token = ""] = tokens;
  while ((await ask(token, "/health/accepting")) !== "200") await Bun.sleep(20);
  const load = Promise.all(tokens.map(client));
  const [door] = pidsOf("api");
  process.kill(door ?? 0, "SIGTERM");
  while (!isBack) await Bun.sleep(50);
  over = true;
  await load;
  expect(await ask(token, "/metrics")).toBe("404");
  balancer.kill();
  await balancer.exited;
  await roles.stop();
  const { "201": written = 0, ...failed } = statuses;
  expect(failed).toEqual({});
  expect(written).toBeGreaterThan(100);
});
