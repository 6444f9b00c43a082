import { expect, test } from "bun:test";
import { type Life, supervise } from "../../../../shared/embedded/servers/supervisor.ts";

/** A child without a process, whose lives end when the test says so. */
function fakeChild(launches: { fails?: boolean }[] = []) {
  const lives: { end(): void; launchedAt: number }[] = [];
  return {
    lives,
    lines: [] as string[],
    name: "child",
    report(line: string) {
      this.lines.push(line);
    },
    async launch(): Promise<Life<number>> {
      const { fails } = launches[lives.length] ?? {};
      const { promise, resolve } = Promise.withResolvers<string>();
      lives.push({ end: () => resolve("ended"), launchedAt: performance.now() });
      if (fails) resolve("never lived");
      return {
        ready: fails ? Promise.reject(new Error("cannot start")) : Promise.resolve(lives.length),
        exited: promise,
        stop: async () => resolve("stopped"),
      };
    },
  };
}

test("a first life that does not become ready is an error, not a loop", async () => {
  const child = fakeChild([{ fails: true }]);
  await expect(supervise(child)).rejects.toThrow("cannot start");
  await Bun.sleep(200);
  expect(child.lives).toHaveLength(1);
});

test("a child that keeps dying is started again after longer and longer pauses", async () => {
  const child = fakeChild([{}, { fails: true }, { fails: true }, {}]);
  const { stop, details } = await supervise(child);
  child.lives[0]?.end();
  while (child.lives.length < 4) await Bun.sleep(5);
  const [, second = 0, third = 0, fourth = 0] = child.lives.map((life) => life.launchedAt);
  // A pause is never shorter than it is meant to be; a busy machine makes it longer.
  expect(third - second).toBeGreaterThanOrEqual(95);
  expect(fourth - third).toBeGreaterThanOrEqual(190);
  expect(details).toBe(1);
  expect(child.lines.at(-1)).toStartWith("child is back after");
  await stop();
});

test("a stop during a pause is immediate and nothing is started any more", async () => {
  const child = fakeChild([{}, ...Array.from({ length: 20 }, () => ({ fails: true }))]);
  const { stop } = await supervise(child);
  child.lives[0]?.end();
  while (child.lives.length < 5) await Bun.sleep(5);
  const pause = Bun.sleep(1_000).then(() => "the pause");
  expect(await Promise.race([stop().then(() => "the stop"), pause])).toBe("the stop");
  await pause;
  expect(child.lives).toHaveLength(5);
});
