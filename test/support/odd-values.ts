import fc from "fast-check";
import { eventually } from "./reminder/stack.ts";

/** Requests that travel together on average, so that a search does not wait for each of them. */
const atOnce = 5;

/** The number of generated requests: FUZZ_RUNS sets a longer search, with a --timeout. */
export const fuzzRuns = (usually: number): number => Number(Bun.env.FUZZ_RUNS ?? usually);

/** Holds a check against generated values, of which some are tried together. @throws with the value that fails */
export function holdsForAll<Value>(
  values: fc.Arbitrary<Value>,
  usually: number,
  check: (value: Value) => Promise<unknown>,
): Promise<void> {
  const alone = (value: Value) =>
    check(value).catch((cause) => {
      throw new Error(`${cause} for ${fc.stringify(value)}`, { cause });
    });
  const some = fc.array(values, { minLength: 1, maxLength: 2 * atOnce, size: "max" });
  return fc.assert(
    fc.asyncProperty(some, async (together) => void (await Promise.all(together.map(alone)))),
    { numRuns: Math.ceil(fuzzRuns(usually) / atOnce), endOnFailure: true },
  );
}

/** Asks again while the service is only busy; an input that is refused each time is itself the reason. */
export const whenNotBusy = <Answer extends Readonly<{ status: number }>>(
  ask: () => Promise<Answer>,
  isBusy: (answer: Answer) => boolean = ({ status }) => status === 503,
): Promise<Answer> =>
  eventually(async () => {
    const answer = await ask();
    return !isBusy(answer) && answer;
  }, 60_000);

const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);

/** Values that have broken services before, beside plain ones that pass. */
const known: readonly unknown[] = [
  ...[null, true, false, 0, 1, -1, 1.5, 1e308, 9007199254740991, 9007199254740992, -0],
  ...["", " ", "x", "1", "0x10", "daily", "weekly", "custom", "good", "morning", "due", "completion", "#fff"],
  ...["\u0000", "\ud800", "\u{E0041}", "\u202E", "x\uFE0F\u200D", "__proto__"],
  ...[day(0), day(1), "2026-12-31", "0001-01-01", "9999-12-31", "2026-02-30", "2099-01-01T09:00"],
  ...["9999-12-31T23:59:59-12:00", "0001-01-01T00:00:00+14:00", "2099-06-31T00:00Z", "+275760-09-13T00:00Z"],
  ...["2099-01-01T24:00", "2099-12-31T23:59:60Z"],
  ...["FREQ=DAILY", "FREQ=YEARLY;BYMONTHDAY=29", "FREQ=MONTHLY;BYDAY=5FR;COUNT=99", "RRULE:"],
  ...["FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29;BYSETPOS=-1;WKST=MO;", "FREQ=DAILY;UNTIL=19700101"],
  ...["FREQ=MONTHLY;INTERVAL=12;BYMONTHDAY=31", "FREQ=DAILY;INTERVAL=1000;COUNT=1000"],
  ...[{ every_days: 365 }, { weekdays: [1, 1] }, { weekdays: [7, 1] }, { times_per_week: 7 }],
  ...[{ times_per_week: 1e9 }, { toString: 1, valueOf: 1 }, ["due_date"]],
];

export const oddValue = fc.oneof(
  fc.constantFrom(...known),
  fc.jsonValue({ maxDepth: 3 }),
  fc.string({ unit: "binary", maxLength: 300 }),
);
