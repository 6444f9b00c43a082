import { afterAll, expect, test } from "bun:test";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../../harness.ts";
import type { Browser } from "../../support/identity/browser.ts";
import { consent, registerApp, signedUp, useIdentity } from "../../support/identity/support.ts";

const suite = join(import.meta.dir, "../../../node_modules/@modelcontextprotocol/conformance/dist/index.js");
const { config } = await useIdentity();
const results = await mkdtemp(join(tmpdir(), "kept-conformance-"));
afterAll(() => rm(results, { recursive: true }));

/** Follows the address that the suite prints, as the person at the browser would. */
async function answer(line: string, browser: Browser): Promise<void> {
  const back = await consent(browser, await browser.open(line), ["habits:read"]);
  await fetch(back.url);
}

test("the MCP conformance suite's authorization mode passes", async () => {
  const { authUrl, baseUrl } = config;
  const [browser, clientId] = [await signedUp(config), await registerApp(config)];
  const flags = { url: authUrl, "client-id": clientId, resource: `${baseUrl}/mcp`, port: freePort() };
  const args = Object.entries(flags).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const run = Bun.spawn([process.execPath, suite, "authorization", ...args, "--output-dir", results], {
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
});
