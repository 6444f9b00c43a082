import { startServices, throwaway } from "./support/servers/services.ts";

type Counts = Readonly<{ passed: number; failed: number; failures: readonly string[]; exitCode: number }>;

/**
 * Three at once, because tests wait more than they compute. Files that run in one process share what they load,
 * which saves a second for each.
 */
const together = ["--parallel=3", "--no-isolate"];
const others = "--path-ignore-patterns=**/*.{patient,timed}.test.ts";

/** `npm test [-- files]`: real servers for the run, bun test on them, then what failed and one plain closing line. */
const { databaseUrl, redisUrl, stop } = await startServices(throwaway);
const named = process.argv.slice(2);
// A file's name says how it must run: CONTRIBUTING.md.
const runs =
  named.length > 0 ? [named] : [[...together, others], [...together, ".patient.test.ts"], [".timed.test.ts"]];
const counts: Counts[] = [];
for (const run of runs) counts.push(await runTests(run));
await stop();
const sum = (of: (counts: Counts) => number): number => counts.map(of).reduce((a, b) => a + b, 0);
for (const failure of counts.flatMap(({ failures }) => failures)) console.log(failure);
console.log(`${sum(({ passed }) => passed)} passed, ${sum(({ failed }) => failed)} failed`);
process.exit(Math.max(...counts.map(({ exitCode }) => exitCode)));

async function runTests(options: readonly string[]): Promise<Counts> {
  const tests = Bun.spawn([process.execPath, "test", "--timeout=60000", ...options], {
    env: { ...Bun.env, TEST_DATABASE_URL: databaseUrl, TEST_REDIS_URL: redisUrl },
    stdout: "inherit",
    stderr: "pipe",
  });
  let report = "";
  for await (const chunk of tests.stderr.pipeThrough(new TextDecoderStream())) {
    process.stderr.write(chunk);
    report += chunk;
  }
  const count = (word: string): number =>
    Number(new RegExp(`^\\s*(\\d+) ${word}$`, "m").exec(report)?.[1] ?? 0);
  // From the error to the name of its test: the end of a long run shows each failure whole.
  const failures = report.match(/^(error:[\s\S]*?^)?\(fail\).*$/gm) ?? [];
  return { passed: count("pass"), failed: count("fail"), failures, exitCode: await tests.exited };
}
