import { expect, test } from "bun:test";
import fc from "fast-check";
import { undoDays } from "../../../../shared/contracts/action/contracts.ts";
import { addDays } from "../../../../shared/domain/day/day.ts";
import type { HabitHistory } from "../../../../shared/domain/habit/history.ts";
import { streakColumns } from "../../../../shared/domain/habit/streak.ts";
import { type Command, type History, ordinaryLives, told } from "../../../support/streak/streak-history.ts";
import { liveHabit } from "./in-memory.ts";
import type { Row } from "./memory.ts";

/** A life of one habit, with what each change found and left. */
async function newLife({ rules, start }: History) {
  const life = await liveHabit(Date.parse(`${start}T12:00:00Z`), rules);
  const { place, send } = life;
  return {
    ...life,
    lastAction: async () => (await life.changes()).at(-1),
    async live(command: Exclude<Command, { kind: "move" }>): Promise<void> {
      place.clock.now = Math.max(place.clock.now, Date.parse(`${command.today}T12:00:00Z`));
      if ("to" in command) await send("update", command.to);
      else await send(command.kind, { date: command.date });
    },
  };
}

/** The columns that a person made; all others follow from these. */
const made = ["frequency", "schedule", "grace_days", "paused_from", "paused_through"];
made.push("done_from", "done_days", "edits", "pauses", "skipped_dates");
const madeOf = (row: Row): Row => Object.fromEntries(made.map((name) => [name, row[name]]));

test("each change of a habit is taken back and brought again, and its streak is computed anew", async () => {
  const property = fc.asyncProperty(ordinaryLives, async (history) => {
    const { habit, lastAction, live, undo, today } = await newLife(history);
    const changes: { action: Row | undefined; before: Row; after: Row }[] = [];
    for (const command of history.commands) {
      if (command.kind === "move") continue;
      const [before, earlier] = [madeOf(await habit()), await lastAction()];
      await live(command);
      const action = await lastAction();
      if (!Bun.deepEquals(action, earlier)) changes.push({ action, before, after: madeOf(await habit()) });
    }
    const isAs = async (expected: Row) => {
      const row = await habit();
      expect([told(history), madeOf(row)]).toEqual([told(history), expected]);
      const { recent_dates, ...columns } = streakColumns(row as unknown as HabitHistory, today());
      expect(row).toMatchObject({ ...columns, recent_dates });
    };
    const undos: { action: Row | undefined; after: Row }[] = [];
    const first = addDays(today(), 1 - undoDays);
    const young = changes.filter(({ action }) => String(action?.called_at) > first);
    for (const { action, before, after } of young.toReversed()) {
      expect(await undo(action)).toBe("whole");
      await isAs(before);
      undos.push({ action: await lastAction(), after });
    }
    for (const { action, after } of undos.toReversed()) {
      expect(await undo(action)).toBe("whole");
      await isAs(after);
    }
  });
  await fc.assert(property, { numRuns: 100, includeErrorInReport: true });
}, 120_000);

test("a completion that comes back has its place before the edits that followed it", async () => {
  const rules = { frequency: "daily", schedule: null, grace_days: 0 };
  const { send, changes, undo, habit, today } = await liveHabit(Date.parse("2026-01-01T10:00:00Z"), rules);
  for (const verb of ["complete", "undo"]) await send(verb);
  await send("update", { frequency: "weekly" });
  const [, , removal] = await changes();
  expect(await undo(removal)).toBe("whole");
  expect(await habit()).toMatchObject({ edits: [{ after: [today()] }] });
});

const dayMs = 86_400_000;

/** The traffic between a worker and PostgreSQL while a deletion is undone, and while that undo is undone. */
async function trafficOfUndo(days: number) {
  const { place, send, changes, undo } = await liveHabit(Date.parse("2026-01-01T10:00:00Z"), {
    frequency: "daily",
  });
  for (let day = 0; day < days; day++) {
    place.clock.now += dayMs;
    await send("complete");
  }
  const names = async () => [...(await place.rows()).keys()].sort();
  const whole = await names();
  await send("delete");
  const undoLast = async () => {
    const before = place.traffic();
    await undo((await changes()).at(-1));
    return place.traffic() - before;
  };
  const back = await undoLast();
  expect(await names()).toEqual(whole);
  const gone = await undoLast();
  expect(await names()).toEqual([]);
  return { back, gone };
}

test("a habit comes back and goes again without its completions passing through a worker", async () => {
  const [short, long] = [await trafficOfUndo(20), await trafficOfUndo(200)];
  // A few images and rows have the days of the habit, one character a day.
  const room = 1_200;
  expect(long.back).toBeLessThan(short.back + room);
  expect(long.gone).toBeLessThan(short.gone + room);
});
