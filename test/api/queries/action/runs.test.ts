import { expect, test } from "bun:test";
import { inRuns, type RunRow } from "../../../../api/queries/action/runs.ts";

const minutesBeforeNoon = (count: number) =>
  new Date(Date.UTC(2026, 10, 24, 12) - count * 60_000).toISOString();

/** Actions of a token, each so many minutes before noon. */
const actions = (token_id: string, ...times: number[]): RunRow[] =>
  times.map((time) => ({
    called_at: minutesBeforeNoon(time),
    request_id: `${token_id}-${time}`,
    door: "rest",
    ...{ token_id, client_name: null, effect: "made", things: 1, undone: false, of: null },
  }));
const newestFirst = (...rows: RunRow[]) =>
  rows.toSorted((one, other) => other.called_at.localeCompare(one.called_at));
const sizes = (rows: readonly RunRow[]) =>
  inRuns(rows, 50).entries.map((run) => `${run[0]?.token_id}${run.length}`);

test("actions of one token with pauses of at most ten minutes are one run, however others come between", () => {
  const rows = newestFirst(...actions("a", 0, 9, 19, 29, 39, 49, 60), ...actions("b", 5, 25));
  expect(sizes(rows)).toEqual(["a6", "b1", "b1", "a1"]);
});

test("up to five actions are listed one by one", () => {
  expect(sizes(actions("a", 0, 1, 2, 3, 4))).toEqual(["a1", "a1", "a1", "a1", "a1"]);
  expect(sizes(actions("a", 0, 1, 2, 3, 4, 5))).toEqual(["a6"]);
});

test("pages follow one another without a gap or a repetition, also through the middle of a run", () => {
  const every = (minutes: number, count: number) => Array.from({ length: count }, (_, n) => n * minutes);
  const rows = newestFirst(...actions("a", ...every(3, 40)), ...actions("b", ...every(11, 9)));
  const seen: RunRow[] = [];
  for (let rest = rows; rest.length > 0; ) {
    const { entries, taken } = inRuns(rest, 4);
    expect(taken).toBeGreaterThan(0);
    expect(entries.flat()).toHaveLength(taken);
    seen.push(...newestFirst(...entries.flat()));
    rest = rest.slice(taken);
  }
  expect(seen).toEqual(rows);
});
