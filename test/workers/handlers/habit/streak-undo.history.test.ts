import { test } from "bun:test";
import fc from "fast-check";
import { agree, newHabit } from "../../../support/streak/streak-habit.ts";
import {
  type History,
  livesInRealZones,
  longRestlessLives,
  ordinaryLives,
  restlessLives,
  told,
} from "../../../support/streak/streak-history.ts";
import { type Life, remember, takeBack } from "../../../support/streak/streak-taken-back.ts";

/** After a command, one of the latest changes is undone; 0 is the latest. */
type UndoPlan = { after: number; which: number };

const undos: fc.Arbitrary<UndoPlan[]> = fc.array(
  fc.record({ after: fc.nat(23), which: fc.oneof(fc.nat(3), fc.nat(30)) }),
  { minLength: 1, maxLength: 16, size: "max" },
);

// An undo can be undone too, so the order is newest first, any other, or to and fro.
test.each([
  ["ordinary lives", 1500, ordinaryLives],
  ["restless lives", 1500, restlessLives],
  ["long restless lives", 800, longRestlessLives],
  ["lives in real zones", 1000, livesInRealZones],
])(
  "the streak is its full recomputation without what was taken back: %s",
  (_, numRuns, lives) => {
    fc.assert(fc.property(lives, undos, live), { numRuns, includeErrorInReport: true });
  },
  120_000,
);

function live(history: History, undos: UndoPlan[]): void {
  const life: Life = { habit: newHabit(history), ever: [], changes: [] };
  const takenBack: string[] = [];
  try {
    history.commands.forEach((command, i) => {
      remember(life, command);
      for (const { after, which } of undos) {
        const change = life.changes.at(-1 - which);
        if (after % history.commands.length !== i || !change) continue;
        takenBack.push(`after command ${i}: change ${life.changes.indexOf(change)}, ${change.what}`);
        takeBack(life, change);
        agree(life.habit);
      }
    });
    agree(life.habit);
  } catch (error) {
    const lines = [told(history), "", ...takenBack, "", error instanceof Error ? error.message : error];
    throw new Error(lines.join("\n"));
  }
}
