import { startServices } from "./support/services.ts";

type Counts = Readonly<{ passed: number; failed: number; exitCode: number }>;

/** Their limits are times, or they ask what is settled, which waits for others' transactions: nothing else runs beside them. */
const timed = [
  "test/chaos/**",
  "test/flow/admission.test.ts",
  "test/flow/batch.test.ts",
  "test/flow/changes.test.ts",
  "test/flow/costly-search.test.ts",
  "test/flow/idempotency.test.ts",
  "test/flow/read-batches.test.ts",
  "test/reminders/flood.test.ts",
];

/** Of those, the ones that kill something, wait for what follows and have no limit below ten seconds. They run in pairs. */
const patient = [
  "batch",
  "copies",
  "crash",
  "doubt",
  "killed",
  "postgres-failover",
  "random",
  "redis-failover",
  "silent-worker",
  "undo",
  "works",
].map((name) => `test/chaos/${name}.test.ts`);

/** Files that a process runs one after the other share what they load, which costs a second for each file otherwise. */
const inPairs = ["--parallel=2", "--no-isolate"];
const without = (patterns: readonly string[]) =>
  patterns.map((pattern) => `--path-ignore-patterns=${pattern}`);
const only = (patterns: readonly string[]) => patterns.map((pattern) => `./${pattern.replace("/**", "")}`);

/** `npm test [-- files]`: real servers for the run, bun test on them, one plain closing line for any CI. */
const { databaseUrl, redisUrl, stop } = await startServices();
const named = process.argv.slice(2);
const runs =
  named.length > 0
    ? [named]
    : [
        [...inPairs, ...without(timed)],
        [...inPairs, ...only(patient)],
        [...only(timed), ...without(patient)],
      ];
const counts: Counts[] = [];
for (const run of runs) counts.push(await runTests(run));
await stop();
const sum = (of: (counts: Counts) => number): number => counts.map(of).reduce((a, b) => a + b, 0);
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
    report = (report + chunk).slice(-10_000);
  }
  const count = (word: string): number =>
    Number(new RegExp(`^\\s*(\\d+) ${word}$`, "m").exec(report)?.[1] ?? 0);
  return { passed: count("pass"), failed: count("fail"), exitCode: await tests.exited };
}
