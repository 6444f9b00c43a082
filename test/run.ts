import { startServices, throwaway } from "./support/servers/services.ts";

/** The results of a test file; `told` has its lines since the last result. */
type FileRun = { passed: number; failed: number; told: string[] };
type Failure = Readonly<{ file: string; name: string; text: string }>;

/**
 * `npm test [-- options and files]`: real servers for the run, bun test on them, a line for each file as it ends, then
 * the slowest files, each failure whole, and one plain closing line. `--all` adds the slow tests, one after the
 * other.
 */
const given = process.argv.slice(2).filter((argument) => argument !== "--all");
const isAll = process.argv.includes("--all");
/** Files of one process share what they load, and a stack (test/harness.ts). They wait more than they compute. */
const without = ["slow", "alone"].map((kind) => `--path-ignore-patterns=**/*.${kind}.test.ts`);
const ordinary = ["--parallel=3", "--max-concurrency=6", ...without];
// Their limits are times, or they hold transactions open, so each has the machine for itself.
const slow = [".slow.test.ts", ".alone.test.ts"];
const runs = given.length > 0 ? [given] : isAll ? [ordinary, slow] : [ordinary];

/** Only what hangs takes so long; a busy machine ends no test. */
const hangsMs = 600_000;

/** Opens the line by which test/support/end-of-file.ts tells that a file has ended. */
const endMark = "@ended";
/** Code of tests runs too seldom to repay its last compilation, or a collection of garbage each second. */
const frugal = { BUN_JSC_useFTLJIT: "0", BUN_GC_TIMER_DISABLE: "1" };
const files = new Map<string, FileRun>();
const ended: Readonly<{ file: string; seconds: number }>[] = [];
const failures: Failure[] = [];
const { databaseUrl, redisUrl, stop } = await startServices(throwaway);
let exitCode = 0;
for (const run of runs) exitCode = Math.max(exitCode, await runTests(run));
await stop();
report();
process.exit(exitCode);

async function runTests(options: readonly string[]): Promise<number> {
  const isParallel = options.some((option) => option.startsWith("--parallel"));
  const preload = `--preload=${import.meta.dir}/support/end-of-file.ts`;
  const common = ["--no-isolate", "--no-orphans", `--timeout=${hangsMs}`, ...(isParallel ? [preload] : [])];
  const tests = Bun.spawn([process.execPath, "test", ...common, ...options], {
    env: {
      ...{ ...Bun.env, ...(isParallel && frugal) },
      ...{ TEST_DATABASE_URL: databaseUrl, TEST_REDIS_URL: redisUrl, TEST_END_MARK: endMark },
    },
    stdout: "inherit",
    stderr: "pipe",
  });
  const reader = createReader(isParallel);
  let rest = "";
  for await (const chunk of tests.stderr.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) reader.read(line);
  }
  reader.end();
  return tests.exited;
}

/** Understands what `bun test` prints. Without processes in parallel a file has ended when the next one begins. */
function createReader(isParallel: boolean) {
  let file = "";
  let since = performance.now();
  let isOver = false;
  function end(): void {
    if (!isParallel && file !== "") finish(file, (performance.now() - since) / 1_000);
    since = performance.now();
  }
  return {
    end,
    read(line: string): void {
      // At its end, bun repeats the failures.
      isOver ||= /^\d+ tests? failed:$/.test(line);
      if (isOver) return;
      const [, header] = /^(\S+\.test\.ts):$/.exec(line) ?? [];
      if (header) {
        if (header !== file) end();
        file = header;
      } else if (line.startsWith(endMark)) {
        const [, path = "", seconds] = line.split(" ");
        // The result of a file's last test may come after its mark, on a busy machine all of them.
        setTimeout(finish, 200, path, Number(seconds));
      } else take(runOf(file), file, line);
    },
  };
}

function take(run: FileRun, file: string, line: string): void {
  run.told.push(line);
  if (line.startsWith("SKIPPED:")) console.log(line);
  const [, result, name = ""] = /^\((pass|fail|skip)\) (.*?)(?: \[[\d.]+ms\])?$/.exec(line) ?? [];
  if (!result) return;
  if (result === "pass") run.passed += 1;
  if (result === "fail") {
    run.failed += 1;
    failures.push({ file, name, text: run.told.join("\n").trim() });
  }
  run.told = [];
}

function runOf(file: string): FileRun {
  const run = files.get(file) ?? { passed: 0, failed: 0, told: [] };
  files.set(file, run);
  return run;
}

function finish(file: string, seconds: number, looks = 1): void {
  const { passed, failed } = runOf(file);
  if (passed + failed === 0 && looks < 50) return void setTimeout(finish, 200, file, seconds, looks + 1);
  ended.push({ file, seconds });
  console.log(lineOf(file, seconds));
}

function lineOf(file: string, seconds: number): string {
  const { passed, failed } = runOf(file);
  return `${seconds.toFixed(1).padStart(6)} s  ${file}  ${failed > 0 ? `${failed} FAILED, ` : ""}${passed} passed`;
}

function report(): void {
  console.log("\nThe slowest files:");
  const slowest = ended.toSorted((a, b) => b.seconds - a.seconds).slice(0, 10);
  for (const { file, seconds } of slowest) console.log(lineOf(file, seconds));
  for (const { file, name, text } of failures) {
    const pattern = name.replaceAll(" > ", " ").replace(/[.*+?^${}()|[\]\\']/g, ".");
    console.log(`\n${file}\n${text}\nAlone: npm test -- ./${file} -t '${pattern}'`);
  }
  const runs = [...files.values()];
  const passed = runs.reduce((sum, run) => sum + run.passed, 0);
  // A file that cannot be loaded fails without a test of its own.
  if (exitCode !== 0 && failures.length === 0) console.log(runs.flatMap(({ told }) => told).join("\n"));
  const failed = exitCode === 0 ? 0 : Math.max(1, failures.length);
  console.log(`\n${passed} passed, ${failed} failed`);
}
