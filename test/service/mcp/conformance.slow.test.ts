import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { freePort, useStack } from "../../harness.ts";
import { folderOfFile } from "../../support/folder.ts";
import { consent, registerApp, signedUp, useIdentity } from "../../support/identity/support.ts";

const suite = join(import.meta.dir, "../../../node_modules/@modelcontextprotocol/conformance/dist/index.js");
const { config, issuer } = await useStack();
const results = folderOfFile("conformance");
const token = await issuer.token();

/** The suite has no token: this adds one, and passes on everything else unchanged. */
const proxy = Bun.serve({
  hostname: "localhost",
  port: 0,
  async fetch(request) {
    const headers = new Headers(request.headers);
    headers.set("authorization", `Bearer ${token}`);
    const { method } = request;
    const body = method === "POST" ? await request.text() : null;
    return fetch(`${config.baseUrl}/mcp`, { method, headers, body });
  },
});
afterAll(() => proxy.stop(true));

type Scenario = readonly [name: string, revision: string];
type Check = { id: string; status: string };
type Flags = Readonly<Record<string, string | number>>;
type Verdict = { passed: number; other: Record<string, string> };

const runSuite = (mode: string, flags: Flags, stdout: "ignore" | "pipe") => {
  const args = Object.entries(flags).flatMap(([name, value]) => [`--${name}`, String(value)]);
  return Bun.spawn([process.execPath, suite, mode, ...args], { stdout, stderr: "ignore" });
};

async function checksIn(folder: string): Promise<Check[]> {
  const files = await Array.fromAsync(new Bun.Glob("**/checks.json").scan(folder));
  return (await Promise.all(files.map((file) => Bun.file(join(folder, file)).json()))).flat();
}

/** The suite's verdict on one scenario: how many checks passed, and the rest by id. */
async function judge([scenario, revision]: Scenario): Promise<Verdict> {
  const folder = join(results, `${scenario}-${revision}`);
  const url = `http://localhost:${proxy.port}/mcp`;
  const flags = { url, scenario, "spec-version": revision, "output-dir": folder };
  await runSuite("server", flags, "ignore").exited;
  const checks = await checksIn(folder);
  const passed = checks.filter(({ status }) => status === "SUCCESS").length;
  const other = checks.filter(({ status }) => status !== "SUCCESS" && status !== "INFO");
  return { passed, other: Object.fromEntries(other.map(({ id, status }) => [id, status])) };
}

const revisions = ["2025-06-18", "2025-11-25", "2026-07-28"] as const;
const [, november, july] = revisions;
const of = (names: readonly string[], among: readonly string[]): Scenario[] =>
  names.flatMap((name) => among.map((revision) => [name, revision] as const));
const scenarios = [
  ...of(["server-initialize", "ping"], revisions.slice(0, 2)),
  ...of(["tools-list", "prompts-list", "resources-list"], revisions),
  ...of(["dns-rebinding-protection"], [november, july]),
  ...of(["sep-2164-resource-not-found", "caching", "http-header-validation"], [july]),
  ...of(["input-required-result-unsupported-methods"], [july]),
];
const stateless: Scenario = ["server-stateless", july];

/** Each scenario is a program that mostly starts, so some run together. */
const verdicts = new Map<Scenario, Verdict>();
const waiting = [...scenarios, stateless];
async function judgeWaiting(): Promise<void> {
  for (let next = waiting.shift(); next; next = waiting.shift()) verdicts.set(next, await judge(next));
}
await Promise.all(Array.from({ length: 4 }, judgeWaiting));

test.each(scenarios.map((scenario) => [...scenario, verdicts.get(scenario)] as const))(
  "%s of %s passes",
  (_, __, verdict) => {
    expect(verdict?.passed).toBeGreaterThan(0);
    expect(verdict?.other).toEqual({});
  },
);

/** They call diagnostic tools that only the suite's own example server has, or wait for a list to change. */
const needDiagnosticTools = [
  "sep-2575-server-rejects-undeclared-capability",
  "sep-2575-missing-capability-http-400",
  "sep-2575-http-server-no-independent-requests-on-stream",
  "sep-2575-server-no-log-without-loglevel",
  "sep-2575-server-sends-prompts-list-changed-on-subscription",
  "sep-2575-server-sends-tools-list-changed-on-subscription",
];

test("server-stateless passes, but for what needs the suite's own diagnostic tools or changing lists", () => {
  const { passed, other } = verdicts.get(stateless) ?? { passed: 0, other: {} };
  expect(passed).toBeGreaterThan(15);
  expect(Object.keys(other).filter((id) => !needDiagnosticTools.includes(id))).toEqual([]);
});

test("the suite's authorization mode passes, when a person answers at the address that it prints", async () => {
  const { config: provider } = await useIdentity();
  const { authUrl: url, baseUrl } = provider;
  const [browser, client] = [await signedUp(provider), await registerApp(provider)];
  const folder = join(results, "authorization");
  const flags = {
    url,
    "client-id": client,
    resource: `${baseUrl}/mcp`,
    port: freePort(),
    "output-dir": folder,
  };
  const run = runSuite("authorization", flags, "pipe");
  for await (const chunk of run.stdout?.pipeThrough(new TextDecoderStream()) ?? []) {
    const address = new RegExp(`^${url}/authorize\\?.+$`, "m").exec(chunk)?.[0];
    if (address) await fetch((await consent(browser, await browser.open(address), ["habits:read"])).url);
  }
  expect(await run.exited).toBe(0);
  const outcomes = (await checksIn(folder)).map(({ id, status }) => `${id}: ${status}`);
  expect(outcomes.toSorted()).toEqual([
    "authorization-code-grant: SUCCESS",
    "authorization-server-metadata-cimd: SUCCESS",
    "authorization-server-metadata: SUCCESS",
  ]);
});
