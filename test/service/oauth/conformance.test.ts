import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser } from "../../support/identity/browser.ts";
import {
  consent,
  registerApp,
  signedUp,
  startTestIdentity,
  type TestIdentity,
} from "../../support/identity/support.ts";

const suite = join(import.meta.dir, "../../../node_modules/@modelcontextprotocol/conformance/dist/index.js");
const callbackPort = 49_153;

let identity: TestIdentity;
let results: string;
beforeAll(async () => {
  identity = await startTestIdentity();
  results = await mkdtemp(join(tmpdir(), "kept-conformance-"));
});
afterAll(async () => {
  await rm(results, { recursive: true });
  await identity.stop();
});

/** Follows the address that the suite prints, as the person at the browser would. */
async function answer(line: string, browser: Browser): Promise<void> {
  const back = await consent(browser, await browser.open(line), ["habits:read"]);
  await fetch(back.url);
}

test("the MCP conformance suite's authorization mode passes", async () => {
  const { authUrl, baseUrl } = identity.config;
  const browser = await signedUp(identity.config);
  const clientId = await registerApp(identity.config, { redirect_uris: ["http://127.0.0.1/callback"] });
  const flags = { url: authUrl, "client-id": clientId, resource: `${baseUrl}/mcp`, port: callbackPort };
  const args = Object.entries(flags).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const run = Bun.spawn(["bun", suite, "authorization", ...args, "--output-dir", results], {
    stdout: "pipe",
    stderr: "inherit",
  });
  let output = "";
  for await (const chunk of run.stdout.pipeThrough(new TextDecoderStream())) {
    output += chunk;
    const address = new RegExp(`^${authUrl}/authorize\\?.+$`, "m").exec(chunk)?.[0];
    if (address) await answer(address, browser);
  }
  expect(await run.exited).toBe(0);
  const files = await Array.fromAsync(new Bun.Glob("**/checks.json").scan(results));
  const checks = await Promise.all(
    files.map(async (file) => JSON.parse(await readFile(join(results, file), "utf8"))),
  );
  const outcomes = checks.flat().map(({ id, status }) => `${id}: ${status}`);
  expect(outcomes.toSorted()).toEqual([
    "authorization-code-grant: SUCCESS",
    "authorization-server-metadata-cimd: SUCCESS",
    "authorization-server-metadata: SUCCESS",
  ]);
  expect(output).toContain("authorization-code-grant");
}, 30_000);
