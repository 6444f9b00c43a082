import { afterAll, beforeAll, expect, jest, test } from "bun:test";
import fc from "fast-check";
import { createTurns } from "../../../shared/process/turns.ts";

beforeAll(() => void jest.useFakeTimers());
afterAll(() => void jest.useRealTimers());

type Bounds = Required<Parameters<typeof createTurns>[0]>;
/** Somebody who waits for a turn or has one, until the timer with this number. */
type Held = Readonly<{ id: number; key: string; until: number; timer: number }>;

/** A step: somebody asks under a key, the n-th holder of a turn ends it, or time passes. */
type Step =
  | Readonly<{ kind: "take"; key: string }>
  | Readonly<{ kind: "end"; nth: number }>
  | Readonly<{ kind: "wait"; ms: number }>;

type Seen = Readonly<{ begun: number[]; refused: number[] }>;

/** The rules as a model on lists, which each step searches anew. */
function createModel(bounds: Bounds) {
  let waiting: Held[] = [];
  let running: Held[] = [];
  /** Keys that may have a turn, the one that has been able to for the longest first. */
  let ready: string[] = [];
  let [now, timers] = [0, 0];
  const until = (ms: number) => ({ until: now + ms, timer: timers++ });
  const seen: Seen = { begun: [], refused: [] };

  const isReady = (key: string) =>
    waiting.some((one) => one.key === key) &&
    running.filter((one) => one.key === key).length < bounds.atOnceOfKey;

  function lookAgain(): void {
    const keys = [...new Set(waiting.map(({ key }) => key))];
    ready = [...ready, ...keys.filter((key) => !ready.includes(key))].filter(isReady);
  }

  function begin(): void {
    lookAgain();
    const [key] = ready;
    if (key === undefined || running.length >= bounds.atOnce) return;
    const first = waiting.find((one) => one.key === key);
    if (!first) return;
    waiting = waiting.filter((one) => one !== first);
    running.push({ ...first, ...until(bounds.countsForMs) });
    ready = ready.slice(1);
    seen.begun.push(first.id);
    begin();
  }

  return {
    seen,
    running: () => running,
    take(id: number, key: string) {
      waiting.push({ id, key, ...until(bounds.patienceMs) });
      begin();
      const own = waiting.filter((one) => one.key === key);
      const isFull = waiting.length > bounds.mostWaiting || own.length > bounds.mostWaitingOfKey;
      if (isFull && own.some((one) => one.id === id)) this.giveUp((one) => one.id === id);
    },
    giveUp(isGivenUp: (one: Held) => boolean) {
      seen.refused.push(...waiting.filter(isGivenUp).map(({ id }) => id));
      waiting = waiting.filter((one) => !isGivenUp(one));
      lookAgain();
    },
    end(id: number) {
      running = running.filter((one) => one.id !== id);
      begin();
    },
    wait(ms: number) {
      const end = now + ms;
      const next = () =>
        [...waiting, ...running]
          .filter((one) => one.until <= end)
          .sort((a, b) => a.until - b.until || a.timer - b.timer)[0];
      for (let one = next(); one; one = next()) {
        now = one.until;
        if (waiting.includes(one)) this.giveUp((other) => other === one);
        else this.end(one.id);
      }
      now = end;
    },
  };
}

const upTo = (max: number) => fc.integer({ min: 0, max });
const boundsOf: fc.Arbitrary<Bounds> = fc.record({
  atOnce: fc.constantFrom(1, 2, 4, Number.POSITIVE_INFINITY),
  atOnceOfKey: fc.constantFrom(1, 2, 3, Number.POSITIVE_INFINITY),
  mostWaiting: fc.constantFrom(0, 3, 6, Number.POSITIVE_INFINITY),
  mostWaitingOfKey: fc.constantFrom(1, 3, Number.POSITIVE_INFINITY),
  patienceMs: fc.constantFrom(10, 1_000),
  countsForMs: fc.constantFrom(7, 10_000),
});
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({ kind: fc.constant("take"), key: fc.constantFrom("a", "b", "c", "d") }),
    },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant("end"), nth: upTo(5) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("wait"), ms: fc.integer({ min: 1, max: 12 }) }) },
  ),
  { maxLength: 60, size: "max" },
);

test("turns begin, wait and are refused as the rules say, whatever comes in which order", async () => {
  await fc.assert(
    fc.asyncProperty(boundsOf, steps, async (bounds, all) => {
      const [turns, model] = [createTurns(bounds), createModel(bounds)];
      const seen: Seen = { begun: [], refused: [] };
      const ends = new Map<number, () => void>();
      async function take(id: number, key: string) {
        const end = await turns.take(key);
        (end ? seen.begun : seen.refused).push(id);
        if (end) ends.set(id, end);
      }
      for (const [id, step] of all.entries()) {
        if (step.kind === "take") {
          void take(id, step.key);
          model.take(id, step.key);
        } else if (step.kind === "wait") {
          jest.advanceTimersByTime(step.ms);
          model.wait(step.ms);
        } else {
          const one = model.running()[step.nth];
          if (!one) continue;
          ends.get(one.id)?.();
          model.end(one.id);
        }
        for (let turn = 0; turn < 3; turn++) await Promise.resolve();
        expect(seen).toEqual(model.seen);
      }
    }),
    { numRuns: 500 },
  );
});

test("a turn ends when its work fails, and `drained` waits for all work", async () => {
  const turns = createTurns({ atOnce: 1 });
  const refuse = () => "refused" as const;
  await expect(turns.run("a", () => Promise.reject(new Error("away")), refuse)).rejects.toThrow("away");
  let done = 0;
  for (const key of ["a", "b"])
    void turns.run(
      key,
      async () => {
        await Bun.sleep(20);
        done += 1;
      },
      refuse,
    );
  const drained = turns.drained();
  while (done < 2) {
    jest.advanceTimersByTime(5);
    await Promise.resolve();
  }
  jest.advanceTimersByTime(5);
  await drained;
  expect(done).toBe(2);
});
