import { expect, test } from "bun:test";
import { MikroORM } from "@mikro-orm/postgresql";
import fc from "fast-check";
import { dateOfDay, dayNumber } from "../../../shared/domain/day/day.ts";
import { useStack } from "../../harness.ts";
import { expectedColumns, note } from "../../support/streak/streak-habit.ts";
import { type Command, type History, ordinaryLives, told } from "../../support/streak/streak-history.ts";
import { doneDays, emptyTimeline, passUntil } from "../../support/streak/streak-spec.ts";

const { rest, clock, config } = await useStack({ travels: true });

/** A life without time-zone changes, which REST cannot make. Only its days count, so no zone takes part. */
const settledLives = ordinaryLives.map((history): History => {
  const end = history.commands.findIndex(({ kind }) => kind === "move");
  return { ...history, commands: history.commands.slice(0, end < 0 ? undefined : end) };
});

test("completions, undos, edits, pauses and skips through REST leave the rows that the full recomputation says", async () => {
  const orm = await MikroORM.init({
    clientUrl: config.databaseUrl,
    entities: [],
    discovery: { warnWhenNoEntities: false },
  });
  const select = (sql: string, id: number) => orm.em.getConnection().execute(sql, [id]);
  try {
    await fc.assert(
      fc.asyncProperty(settledLives, async (history) => {
        const { id, timeline } = await live(history);
        const story = told(history);
        const habit =
          "select streak, longest_streak, streak_alive_through, completions_count from habits where id = ?";
        const days = [...doneDays(timeline)].sort((one, other) => one - other);
        expect([story, await select(habit, id)]).toEqual([story, [expectedColumns(timeline)]]);
        const completions = "select local_date from habit_completions where habit_id = ? order by local_date";
        expect(await select(completions, id)).toEqual(days.map((day) => ({ local_date: dateOfDay(day) })));
      }),
      { numRuns: 50, includeErrorInReport: true },
    );
  } finally {
    await orm.close(true);
    clock.now = undefined;
  }
});

/** Lives the history through REST and writes the timeline of it. */
async function live({ rules, start, commands }: History) {
  clock.now = Date.parse(`${start}T12:00:00Z`);
  const { id } = (await rest("POST", "/habits", { body: { name: "h", type: "good", ...rules } })).body;
  const timeline = emptyTimeline(rules, dayNumber(start));
  let inForce = rules;
  for (const command of commands) {
    clock.now = Date.parse(`${command.today}T12:00:00Z`);
    passUntil(timeline, dayNumber(command.today));
    const { status } = await send(id, command);
    // Some days are never due, and cannot be skipped.
    if (command.kind === "skip" && status === 409) continue;
    const size = () => [timeline.events.length, timeline.free.skips.size].join();
    const before = size();
    note(timeline, command, inForce);
    const isRefused = "date" in command && size() === before;
    expect([command, status]).toEqual([command, isRefused ? 409 : 200]);
    if (command.kind === "edit") inForce = command.to;
  }
  return { id, timeline };
}

function send(id: number, command: Command) {
  if (command.kind === "edit" || command.kind === "pause" || command.kind === "move")
    return rest("PATCH", `/habits/${id}`, { body: command.to });
  const { kind, date } = command;
  const path = `/habits/${id}/${kind === "complete" || kind === "undo" ? "complete" : "skip"}`;
  if (kind === "complete" || kind === "skip") return rest("POST", path, { body: { date } });
  return rest("DELETE", `${path}?date=${date}`);
}
