import { expect, test } from "bun:test";
import fc from "fast-check";
import { sql } from "kysely";
import { dueOn } from "../../../api/queries/habit/read.ts";
import { own, statement } from "../../../shared/db/reads/statement.ts";
import { addDays } from "../../../shared/domain/day/day.ts";
import type { HabitHistory } from "../../../shared/domain/habit/history.ts";
import { isDueOn, streakColumns } from "../../../shared/domain/habit/streak.ts";
import { createDatabase } from "../../harness.ts";
import { openReads } from "../../support/reads.ts";
import { obeyed, rowOf } from "../../support/streak/streak-habit.ts";
import {
  type History,
  livesInRealZones,
  ordinaryLives,
  restlessLives,
} from "../../support/streak/streak-history.ts";

const { database, readerOf } = await openReads(await createDatabase());
const { rows } = readerOf("ada");
type Due = { day: string };
const dueDays = statement({ days: "date[]" }, (value) => {
  return sql<Due>`select day from ${own("habits")} h, unnest(${value("days")}) day where ${dueOn(sql.ref("day"))}`;
});
await database.pool.query(
  `insert into habits (user_id, id, name, type, frequency, grace_days, completions_count, streak, longest_streak,
     recent_dates, created_at, updated_at)
   values ('ada', 1, 'Meditate', 'good', 'daily', 0, 0, 0, 0, '{}', now(), now())`,
);

test("the SQL condition finds a habit due on the days on which isDueOn says so", async () => {
  for (const lives of [ordinaryLives, restlessLives, livesInRealZones]) {
    const property = fc.asyncProperty(lives, agreesAfterEveryCommand);
    await fc.assert(property, { numRuns: 50, includeErrorInReport: true });
  }
});

async function agreesAfterEveryCommand(history: History): Promise<void> {
  let row = rowOf(history.rules);
  await agrees(row, history.start);
  for (const command of history.commands) {
    row = obeyed(row, command);
    await agrees(row, command.kind === "move" ? command.to : command.today);
  }
}

async function agrees(row: HabitHistory, today: string): Promise<void> {
  const { frequency, schedule } = row;
  const columns = streakColumns(row, today);
  const { next_due, recent_dates, free_dates } = columns;
  await database.pool.query(
    `update habits set frequency = $1, schedule = $2, next_due = $3, recent_dates = $4, free_dates = $5
     where user_id = 'ada' and id = 1`,
    [frequency, schedule && JSON.stringify(schedule), next_due, recent_dates, free_dates],
  );
  const days = [...daysAround(today, 9), ...daysAround(next_due ?? today, 2)];
  const found = await rows(dueDays({ days }));
  const due = days.filter((day) => isDueOn({ ...row, ...columns }, day));
  expect([today, found.map(({ day }) => day)]).toEqual([today, due]);
}

const daysAround = (date: string, distance: number): string[] =>
  Array.from({ length: 2 * distance + 1 }, (_, i) => addDays(date, i - distance));
