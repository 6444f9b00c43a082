import { startServices } from "./support/services.ts";

/** `npm test [-- files]`: real servers for the run, bun test on them, one plain closing line for any CI. */
const { databaseUrl, redisUrl, stop } = await startServices();
const tests = Bun.spawn([process.execPath, "test", "--timeout=60000", ...process.argv.slice(2)], {
  env: { ...Bun.env, TEST_DATABASE_URL: databaseUrl, TEST_REDIS_URL: redisUrl },
  stdout: "inherit",
  stderr: "pipe",
});
let report = "";
for await (const chunk of tests.stderr.pipeThrough(new TextDecoderStream())) {
  process.stderr.write(chunk);
  report = (report + chunk).slice(-10_000);
}
const exitCode = await tests.exited;
await stop();
const count = (word: string): number =>
  Number(new RegExp(`^\\s*(\\d+) ${word}$`, "m").exec(report)?.[1] ?? 0);
console.log(`${count("pass")} passed, ${count("fail")} failed`);
process.exit(exitCode);
