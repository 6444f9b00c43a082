import { expect, test } from "bun:test";
import fc from "fast-check";
import { undoDays } from "../../../../shared/contracts/action/undo.ts";
import { addDays } from "../../../../shared/domain/day/day.ts";
import type { HabitHistory } from "../../../../shared/domain/habit/history.ts";
import { streakColumns } from "../../../../shared/domain/habit/streak.ts";
import { type Command, type History, ordinaryLives, told } from "../../../support/streak/streak-history.ts";
import { inMemory } from "./in-memory.ts";
import type { Row } from "./memory.ts";

/** A life of one habit through the handlers, with what each change found and left. */
async function newLife({ rules, start }: History) {
  const place = inMemory();
  place.clock.now = Date.parse(`${start}T12:00:00Z`);
  const send = async (name: string, input: Row): Promise<Row> => {
    place.clock.now += 1_000;
    const outcome = await place.send(name === "action.undo" ? "page" : "mcp", { name, input } as never);
    return "body" in outcome ? ((outcome.body ?? {}) as Row) : {};
  };
  const { id: habit_id } = await send("habit.create", { name: "Run", type: "good", ...rules });
  const habit = async () => (await place.rows()).get(`habits/${habit_id}`) ?? {};
  const lastAction = async () =>
    (await place.log())
      .filter((row) => row.before != null || row.after != null)
      .map(({ called_at, request_id }) => ({ called_at, request_id }))
      .at(-1);
  return {
    habit,
    lastAction,
    async live(command: Exclude<Command, { kind: "move" }>): Promise<void> {
      const noon = Date.parse(`${command.today}T12:00:00Z`);
      if (noon > place.clock.now) place.clock.now = noon;
      if ("to" in command) await send("habit.update", { habit_id, ...command.to });
      else await send(`habit.${command.kind}`, { habit_id, date: command.date });
    },
    async undo(action: Row | undefined): Promise<unknown> {
      const { ends } = (await send("action.undo", { actions: [action] })) as { ends: { undone: string }[] };
      return ends[0]?.undone;
    },
    today: () => new Date(place.clock.now).toISOString().slice(0, 10),
  };
}

/** The columns that a person made; all others follow from these. */
const madeOf = (row: Row): Row =>
  Object.fromEntries(
    [
      "frequency",
      "schedule",
      "grace_days",
      "paused_from",
      "paused_through",
      "done_from",
      "done_days",
      "edits",
    ]
      .concat("pauses", "skipped_dates")
      .map((name) => [name, row[name]]),
  );

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
    const isAs = async (made: Row) => {
      const row = await habit();
      expect([told(history), madeOf(row)]).toEqual([told(history), made]);
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
