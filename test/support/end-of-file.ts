import { afterAll } from "bun:test";
import { relative } from "node:path";

/** Tells test/run.ts that a file of this process has ended, and its seconds. */
const { TEST_END_MARK: mark } = Bun.env;
let since = performance.now();

afterAll(() => {
  const seconds = (performance.now() - since) / 1_000;
  since = performance.now();
  console.error(`${mark} ${relative(`${import.meta.dir}/../..`, Bun.main)} ${seconds}`);
});
