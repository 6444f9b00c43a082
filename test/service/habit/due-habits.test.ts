import { afterAll, expect, test } from "bun:test";
import fc from "fast-check";
import { createQueryContext } from "../../../api/queries/engine/context.ts";
import { openQueryDatabase } from "../../../api/queries/engine/guard.ts";
import { dueOn } from "../../../api/queries/habit/read.ts";
import { openDatabase } from "../../../shared/db/orm.ts";
import { join, sql } from "../../../shared/db/reads/sql.ts";
import { addDays } from "../../../shared/domain/day/day.ts";
import { setPause } from "../../../shared/domain/habit/pause.ts";
import type { Rules } from "../../../shared/domain/habit/schedule.ts";
import * as streak from "../../../shared/domain/habit/streak.ts";
import { createLog } from "../../../shared/process/observe/log.ts";
import { streakColumns } from "../../../workers/handlers/habit/rows.ts";
import { skipDay, unskipDay } from "../../../workers/handlers/habit/streak-skip.ts";
import { createDatabase } from "../../harness.ts";
import {
  type Command,
  type History,
  livesInRealZones,
  ordinaryLives,
  restlessLives,
  told,
} from "../../support/streak/streak-history.ts";

/** The parts of a habit's row on which its due days depend. */
type Habit = Readonly<{ rules: Rules; state: streak.StreakState }>;

const database = await openDatabase({ url: await createDatabase(), log: createLog("test", "error") });
afterAll(() => database.close());
const { own, rows } = createQueryContext({
  db: openQueryDatabase(database),
  userId: "ada",
  now: 0,
  defaultTimeZone: "UTC",
  baseUrl: "",
});
await database.pool.query(
  `insert into habits (user_id, id, name, type, frequency, grace_days, completions_count, streak, longest_streak,
     recent_dates, streak_state, created_at, updated_at)
   values ('ada', 1, 'Meditate', 'good', 'daily', 0, 0, 0, 0, '{}', '{}', now(), now())`,
);

test.each([
  ["ordinary lives", ordinaryLives],
  ["restless lives", restlessLives],
  ["lives in real zones", livesInRealZones],
])(
  "the SQL condition finds a habit due on the days on which isDueOn says so: %s",
  async (_, lives) => {
    await fc.assert(fc.asyncProperty(lives, agreesAfterEveryCommand), {
      numRuns: 50,
      includeErrorInReport: true,
    });
  },
  120_000,
);

async function agreesAfterEveryCommand(history: History): Promise<void> {
  let habit: Habit = { rules: history.rules, state: streak.newStreak() };
  await agrees(habit, history.start, history);
  for (const command of history.commands) {
    habit = obey(habit, command);
    await agrees(habit, command.kind === "move" ? command.to : command.today, history);
  }
}

async function agrees(habit: Habit, today: string, history: History): Promise<void> {
  const { rules, state } = habit;
  const { next_due, recent_dates, free_dates } = streakColumns(state, rules);
  await database.pool.query(
    `update habits set frequency = $1, schedule = $2, next_due = $3, recent_dates = $4, free_dates = $5
     where user_id = 'ada' and id = 1`,
    [rules.frequency, rules.schedule && JSON.stringify(rules.schedule), next_due, recent_dates, free_dates],
  );
  const days = [...daysAround(today, 9), ...daysAround(next_due ?? today, 2)];
  const [row] = await rows(
    sql<{ due: boolean[] }>`select array[${join(days.map(dueOn))}] as due from ${own("habits")} h`,
  );
  expect([told(history), today, days.filter((_, i) => row?.due[i])]).toEqual([
    told(history),
    today,
    days.filter((day) => streak.isDueOn(state, rules, day)),
  ]);
}

const daysAround = (date: string, distance: number): string[] =>
  Array.from({ length: 2 * distance + 1 }, (_, i) => addDays(date, i - distance));

/** The habit after the command; a refused command changes nothing. */
function obey(habit: Habit, command: Command): Habit {
  const { rules, state } = habit;
  if (command.kind === "edit")
    return { rules: command.to, state: streak.editRules(state, rules, command.to, command.today) };
  if (command.kind === "move")
    return { rules, state: streak.moveDay(state, rules, command.today, command.to) };
  if (command.kind === "pause") return { rules, state: setPause(state, rules, command.to, command.today) };
  const run = { complete: streak.complete, undo: streak.undo, skip: skipDay, unskip: unskipDay };
  const next = run[command.kind](state, rules, command.date, command.today);
  return typeof next === "string" ? habit : { rules, state: next };
}
