import { expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../../shared/embedded/port.ts";
import { sharedParent, startIn } from "./instance.ts";

const root = join(import.meta.dir, "../..");
const parent = await sharedParent();

/** The shell blocks of the README that say something to a running service. */
async function callsOfReadme(baseUrl: string): Promise<string[]> {
  const text = await Bun.file(join(root, "README.md")).text();
  const blocks = [...text.matchAll(/^```sh\n(.*?)^```/gms)].map(([, block = ""]) => block);
  const calls = blocks.filter((block) => block.includes("curl"));
  return calls.map((block) => block.replaceAll("http://localhost:3000", baseUrl));
}

test("the README's calls work when they are pasted beside npm start", async () => {
  const dataDir = join(parent, "data");
  mkdirSync(dataDir);
  const [port, identityPort] = [await freePort(), await freePort()];
  const place = { dataDir, port, env: { IDENTITY_PORT: String(identityPort) } };
  const run = startIn(place, root, undefined, "shared/embedded/main.ts");
  await run.printed("Try it:");
  const calls = await callsOfReadme(`http://localhost:${port}`);
  expect(calls.length).toBeGreaterThan(0);
  for (const block of calls) {
    const shell = Bun.spawn(["bash", "-e"], { cwd: parent, stdin: new Blob([block]), stdout: "pipe" });
    const answers = (await shell.stdout.text()).replaceAll("}{", "}\n{").split("\n");
    expect(await shell.exited).toBe(0);
    expect(answers.map((answer) => JSON.parse(answer))).toMatchObject([
      { name: "Read", streak_count: 0 },
      { name: "Read", streak_count: 1, is_completed_today: true },
      { habits: expect.anything() },
    ]);
  }
  await run.end("SIGINT");
}, 120_000);
