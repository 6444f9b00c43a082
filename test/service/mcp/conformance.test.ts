import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { useStack } from "../../harness.ts";

const suite = join(import.meta.dir, "../../../node_modules/@modelcontextprotocol/conformance/dist/index.js");
const stack = await useStack();

let proxy: ReturnType<typeof Bun.serve>;
let results: string;

/** The suite has no token: this adds one, and passes on everything else unchanged. */
beforeAll(async () => {
  results = await mkdtemp(join(tmpdir(), "kept-conformance-"));
  const token = await stack.issuer.token();
  proxy = Bun.serve({
    hostname: "localhost",
    port: 0,
    async fetch(request) {
      const headers = new Headers(request.headers);
      headers.set("authorization", `Bearer ${token}`);
      const { method } = request;
      const body = method === "POST" ? await request.text() : null;
      return fetch(`${stack.config.baseUrl}/mcp`, { method, headers, body });
    },
  });
});
afterAll(async () => {
  await proxy.stop(true);
  await rm(results, { recursive: true });
});

type Check = { id: string; status: string };

type Verdict = { passed: number; other: Record<string, string> };

/** The suite's verdict on one scenario: how many checks passed, and the rest by id. */
async function verdict(scenario: string, revision: string): Promise<Verdict> {
  const folder = join(results, `${scenario}-${revision}`);
  const url = `http://localhost:${proxy.port}/mcp`;
  const flags = { url, scenario, "spec-version": revision, "output-dir": folder };
  const args = Object.entries(flags).flatMap(([name, value]) => [`--${name}`, value]);
  const run = Bun.spawn([process.execPath, suite, "server", ...args], { stdout: "ignore", stderr: "ignore" });
  await run.exited;
  const files = await Array.fromAsync(new Bun.Glob("**/checks.json").scan(folder));
  const checks: Check[] = await Bun.file(join(folder, files[0] ?? "no checks.json")).json();
  const passed = checks.filter(({ status }) => status === "SUCCESS").length;
  const other = checks.filter(({ status }) => status !== "SUCCESS" && status !== "INFO");
  return { passed, other: Object.fromEntries(other.map(({ id, status }) => [id, status])) };
}

const [june, november, july] = ["2025-06-18", "2025-11-25", "2026-07-28"] as const;

// Each starts a program, so they run together.
test.concurrent.each([
  ...["server-initialize", "ping"].flatMap((name) =>
    [june, november].map((revision) => [name, revision] as const),
  ),
  ...["tools-list", "prompts-list", "resources-list"].flatMap((name) =>
    [june, november, july].map((revision) => [name, revision] as const),
  ),
  ["dns-rebinding-protection", november],
  ["dns-rebinding-protection", july],
  ["sep-2164-resource-not-found", july],
  ["caching", july],
  ["http-header-validation", july],
  ["input-required-result-unsupported-methods", july],
])("%s of %s passes", async (scenario, revision) => {
  const { passed, other } = await verdict(scenario, revision);
  expect(passed).toBeGreaterThan(0);
  expect(other).toEqual({});
});

/** They call diagnostic tools that only the suite's own example server has, or wait for a list to change. */
const needDiagnosticTools = [
  "sep-2575-server-rejects-undeclared-capability",
  "sep-2575-missing-capability-http-400",
  "sep-2575-http-server-no-independent-requests-on-stream",
  "sep-2575-server-no-log-without-loglevel",
  "sep-2575-server-sends-prompts-list-changed-on-subscription",
  "sep-2575-server-sends-tools-list-changed-on-subscription",
];

test.concurrent("server-stateless passes, but for what needs the suite's own diagnostic tools or changing lists", async () => {
  const { passed, other } = await verdict("server-stateless", july);
  expect(passed).toBeGreaterThan(15);
  expect(Object.keys(other).filter((id) => !needDiagnosticTools.includes(id))).toEqual([]);
});
