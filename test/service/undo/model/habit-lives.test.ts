import { expect, test } from "bun:test";
import fc from "fast-check";
import { undoDays } from "../../../../shared/contracts/action/contracts.ts";
import { addDays, dateOfDay, dayNumber } from "../../../../shared/domain/day/day.ts";
import type { HabitHistory } from "../../../../shared/domain/habit/history.ts";
import { streakColumns } from "../../../../shared/domain/habit/streak.ts";
import { expectedColumns, note } from "../../../support/streak/streak-habit.ts";
import { type History, settledLives } from "../../../support/streak/streak-history.ts";
import { doneDays, emptyTimeline, passUntil } from "../../../support/streak/streak-spec.ts";
import type { Row } from "./inputs.ts";
import { liveHabit, openWorlds } from "./on-service.ts";
import type { ActionKey } from "./world.ts";

const newWorld = await openWorlds();

/** The columns that a person made; all others follow from these. */
const made = ["frequency", "schedule", "grace_days", "paused_from", "paused_through"];
made.push("done_from", "done_days", "edits", "pauses", "skipped_dates");
const madeOf = (row: Row): Row => Object.fromEntries(made.map((name) => [name, row[name]]));

type Change = Readonly<{ action: ActionKey | undefined; before: Row; after: Row }>;

/** Lives the history and writes its timeline. @returns what each change found and left, too */
async function newLife({ rules, start, commands }: History) {
  const life = await liveHabit(newWorld(), Date.parse(`${start}T12:00:00Z`), rules);
  const { place, habit } = life;
  const lastAction = async () => (await life.changes()).at(-1);
  const timeline = emptyTimeline(rules, dayNumber(start));
  const changes: Change[] = [];
  let inForce = rules;
  for (const command of commands) {
    place.clock.now = Math.max(place.clock.now, Date.parse(`${command.today}T12:00:00Z`));
    passUntil(timeline, dayNumber(command.today));
    const [before, earlier] = [madeOf(await habit()), await lastAction()];
    if (command.kind === "move") continue;
    const [verb, input] = "date" in command ? [command.kind, { date: command.date }] : ["update", command.to];
    const isRefused = !("id" in (await life.send(verb, input)));
    // Some days are never due, and cannot be skipped.
    if (command.kind === "skip" && isRefused) continue;
    const size = () => [timeline.events.length, timeline.free.skips.size].join();
    const known = size();
    note(timeline, command, inForce);
    expect([command, isRefused]).toEqual([command, "date" in command && size() === known]);
    if (command.kind === "edit") inForce = command.to;
    const action = await lastAction();
    if (!Bun.deepEquals(action, earlier)) changes.push({ action, before, after: madeOf(await habit()) });
  }
  return { ...life, lastAction, timeline, changes };
}

async function follow(history: History): Promise<void> {
  const { place, habit, timeline, changes, lastAction, undo, today } = await newLife(history);
  const completions = [...(await place.rows()).values()].filter(({ completed_at }) => completed_at);
  const days = doneDays(timeline).toSorted((one, other) => one - other);
  expect(completions.map(({ local_date }) => local_date)).toEqual(days.map(dateOfDay));
  expect(await habit()).toMatchObject(expectedColumns(timeline));
  const isAs = async (expected: Row) => {
    const row = await habit();
    expect(madeOf(row)).toEqual(expected);
    const { recent_dates, ...columns } = streakColumns(row as unknown as HabitHistory, today());
    expect(row).toMatchObject({ ...columns, recent_dates });
  };
  const undos: Omit<Change, "before">[] = [];
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
}

test.concurrent.each(fc.sample(settledLives, 40).map((history, number) => [number, history] as const))(
  "each change of a habit leaves what the full recomputation says, is taken back and brought again: life %d",
  (_, history) => follow(history),
);

test("a completion that comes back has its place before the edits that followed it", async () => {
  const rules = { frequency: "daily", schedule: null, grace_days: 0 };
  const life = await liveHabit(newWorld(), Date.parse("2026-01-01T10:00:00Z"), rules);
  const { send, changes, undo, habit, today } = life;
  for (const verb of ["complete", "undo"]) await send(verb);
  await send("update", { frequency: "weekly" });
  const [, , removal] = await changes();
  expect(await undo(removal)).toBe("whole");
  expect(await habit()).toMatchObject({ edits: [{ after: [today()] }] });
});
